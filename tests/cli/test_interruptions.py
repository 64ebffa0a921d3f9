"""Long runs, interrupted runs, and several runs at once."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes import write_tree

LEAF = "import torch\n\nw = torch.ones(3, requires_grad=True)\nw += {}\n"
COUNT = 30

# The program, whose analysis does something before the file `17.py` is analysed.
PROGRAM = """
import multiprocessing, os, signal, sys, time
multiprocessing.set_start_method("fork")
from autograd_lint import analysis
from autograd_lint import cli
from autograd_lint.cli import progress
analysed = analysis.analysed
def patched(source, project, most=None, coverage=False):
    if source.filename.endswith("17.py"):
        {}
    return analysed(source, project, most, coverage)
analysis.analysed = patched
{}
sys.exit(cli.main())
"""
INTERRUPT = "os.kill(PARENT, signal.SIGINT); time.sleep(20)"


def program(before: str, setup: str = "PARENT = os.getpid()") -> list[str]:
    return [sys.executable, "-c", PROGRAM.format(before, setup), "check", "--output-format", "json"]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    write_tree(tmp_path, {f"{number}.py": LEAF.format(number) for number in range(10, 10 + COUNT)})
    return tmp_path


def found(command: list[str], here: Path) -> str:
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert len(json.loads(done.stdout)) == COUNT
    return done.stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_run_leaves_a_cache_that_the_next_one_can_use(here: Path, jobs: str) -> None:
    command = [*program(INTERRUPT), "--jobs", jobs]
    done = subprocess.run(
        command, cwd=here, capture_output=True, text=True, check=False, start_new_session=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() == "autograd-lint: interrupted"
    # Where it was interrupted before any file was done, there is no cache at all.
    left = [path.name for path in here.glob(".autograd_lint_cache/*")]
    assert [name for name in left if not name.startswith(".")] == [
        name for name in left if name.endswith(".json")
    ]
    untouched = [*program("pass"), "--no-cache"]
    assert found(program("pass"), here) == found(untouched, here)


WHILE_IMPORTED = """
import importlib, os, signal
imported = importlib.import_module
def interrupted(name):
    os.kill(os.getpid(), signal.SIGINT)
    return imported(name)
importlib.import_module = interrupted
from autograd_lint.cli import start
start()
"""


def test_an_interruption_while_a_command_is_imported_is_one_line(here: Path) -> None:
    command = [sys.executable, "-c", WHILE_IMPORTED, "check"]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (2, "autograd-lint: interrupted")


def test_two_runs_at_once_do_not_harm_each_other(here: Path) -> None:
    command = [*program("pass"), "--jobs", "1"]
    runs = [
        subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    outputs = {run.communicate()[0] for run in runs}
    assert len(outputs) == 1
    remembered = found([*program("raise SystemExit('analysed again')"), "--jobs", "1"], here)
    assert {remembered} == outputs


def test_results_are_the_same_for_any_number_of_processes_remembered_or_not(here: Path) -> None:
    outputs = {
        found([*program("pass"), "--jobs", jobs, *cache], here)
        for jobs in ("1", "2", "3")
        for cache in (["--no-cache"], [])
    }
    assert len(outputs) == 1


def on_a_terminal(command: list[str], here: Path) -> tuple[str, str]:
    """What a program writes to standard output, and to a terminal as standard error."""
    terminal, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        command, cwd=here, stdout=subprocess.PIPE, stderr=end, text=True, env=environment
    ) as run:
        os.close(end)
        drawn = b""
        while True:
            try:
                drawn += (data := os.read(terminal, 4096))
            except OSError:  # the other end is closed
                break
            if not data:
                break
        output = run.communicate()[0]
    os.close(terminal)
    return output, drawn.decode()


def test_a_long_run_has_a_bar_on_a_terminal(here: Path) -> None:
    setup = "progress._PATIENCE = 0.0"
    command = [*program("pass", setup), "--jobs", "1"]
    output, drawn = on_a_terminal(command, here)
    assert "checking" in drawn
    assert drawn.rstrip().endswith("\x1b[2K")  # gone at the end
    assert len(json.loads(output)) == COUNT


@pytest.mark.parametrize("option", ["--quiet", "--verbose"])
def test_a_short_or_quiet_run_has_none(here: Path, option: str) -> None:
    patience = 0.0 if option == "--quiet" else 60.0
    command = [*program("pass", f"progress._PATIENCE = {patience}"), "--jobs", "1", option]
    assert "checking" not in on_a_terminal(command, here)[1]
