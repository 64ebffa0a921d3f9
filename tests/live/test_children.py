"""Processes that a program starts are counted, however they are started."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_lint.live.tracing import Tracer


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_each_process_is_counted_once(method: str) -> None:
    with Tracer() as tracer:
        process = multiprocessing.get_context(method).Process(target=os.getpid)
        process.start()
        process.join()
    assert tracer.children == 1


def test_nothing_is_counted_afterwards() -> None:
    with Tracer() as tracer:
        pass
    process = multiprocessing.get_context("fork").Process(target=os.getpid)
    process.start()
    process.join()
    assert tracer.children == 0


def test_the_report_says_so(tmp_path: Path) -> None:
    program = "import os\nfor _ in range(2):\n    os.fork() or os._exit(0)\n"
    (tmp_path / "a.py").write_text(program)
    command = [sys.executable, "-m", "autograd_lint", "trace", "a.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "not seen: 2 processes that the program has started" in ran.stderr


def test_where_a_system_has_no_forks_programs_are_traced_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "register_at_fork")  # as on Windows
    with Tracer() as tracer:
        pass
    assert tracer.children == 0
