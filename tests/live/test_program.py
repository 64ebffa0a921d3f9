"""`autograd-lint trace` runs a program as plain Python does, and reports beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.live.command import trace

PROGRAMS = {
    "a closed stdout": "import sys\nprint('before')\nsys.stdout.close()",
    "no streams": "import sys\nprint('before')\nsys.stdout = sys.stderr = None",
    "stacks": """
        import sys, torch, traceback
        def hook(gradient):
            traceback.print_stack(file=sys.stdout)
        x = torch.ones(2, requires_grad=True)
        x.register_hook(hook)
        x.exp().sum().backward()
        """,
    "arguments and paths": """
        import os, sys
        print(__name__, __file__, sys.argv, os.path.samefile(sys.path[0], "."), __spec__)
        """,
    "status": "import sys\nsys.exit(3)",
    "message as status": "import sys\nsys.exit('gone')",
    "Ctrl-C": """
        import atexit, os, signal, threading, time
        atexit.register(print, "at exit")
        threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
        """,
    "uncaught error": """
        def inner():
            raise ValueError("no")
        def outer():
            inner()
        outer()
        """,
    "classes of the program can be pickled": """
        import pickle
        class Thing: pass
        print(type(pickle.loads(pickle.dumps(Thing()))) is Thing)
        """,
    "exit handlers and threads": """
        import atexit, threading, time
        atexit.register(print, "at exit")
        threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
        """,
    "fork": """
        import os, sys
        child = os.fork()
        if child == 0:
            import torch
            torch.ones(2, requires_grad=True).exp().sum().backward()
            sys.exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """,
}
CHILD = "autograd-lint: not seen: a process that the program has started; trace each by itself"
FAILING = """
import torch
h = torch.zeros(3, requires_grad=True).exp()
h += 1
h.sum().backward()
"""


ASKED = """
import torch

class Lazy:
    @property
    def __class__(self):
        print("asked what it is")
        return torch.nn.Module

    def __getattr__(self, name):
        print("asked for", name)
        raise AttributeError(name)

class Holder:
    @property
    def loss(self):
        print("computed")
        return torch.ones(2)

lazy, holder = Lazy(), Holder()
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
h = net(torch.ones(1, 2)).exp()
h.add_(1)
try:
    h.sum().backward(); lazy; holder.loss
except RuntimeError:
    print("raised")
try:
    torch.ones(1).backward(lazy if 0 else None); holder
except RuntimeError:
    print("raised")
"""
TELLING = """
import sys, threading, torch, traceback

def fail():
    h = torch.zeros(2, requires_grad=True).sigmoid()
    h += 1
    h.sum().backward()

def told():
    try:
        fail()
    except RuntimeError as error:
        raise ValueError("in told by a thread") from error

try:
    fail()
except RuntimeError:
    print(traceback.format_exc())
thread = threading.Thread(target=told, name="one")
thread.start()
thread.join()
try:
    fail()
except RuntimeError as error:
    last = ExceptionGroup("several", [error]) if sys.version_info >= (3, 11) else error
raise last
"""


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_status_and_errors_are_those_of_plain_python(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(dedent(PROGRAMS[name]))
    plain = python("program.py", "--flag", "x", cwd=tmp_path)
    traced = trace("program.py", "--flag", "x", cwd=tmp_path)
    assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode)
    assert traced.stderr.startswith(plain.stderr)
    told = traced.stderr[len(plain.stderr) :].splitlines()
    assert told[0] == "autograd-lint: traced, nothing found"
    assert told[1:] == ([CHILD] if name == "fork" else [])


@pytest.mark.parametrize("options", [(), ("-P",)])
def test_a_program_imports_from_where_plain_python_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    if options and sys.version_info < (3, 11):
        pytest.skip("this Python has no -P")
    first = os.pathsep.join([str(tmp_path / "first"), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", first)
    (tmp_path / "program.py").write_text("import sys\nprint(sys.path)\n")
    plain = python(*options, "program.py", cwd=tmp_path)
    traced = python(*options, "-m", "autograd_lint", "trace", "program.py", cwd=tmp_path)
    assert traced.stdout == plain.stdout


def test_objects_that_compute_what_they_are_are_not_asked(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(ASKED)
    assert trace("program.py", cwd=tmp_path).stdout == "raised\nraised\n"


def test_module_runs_as_with_dash_m(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text(
        "import sys\nprint(__name__, __package__, __spec__.name, sys.argv[1:])\n"
    )
    plain = python("-m", "package", "a", cwd=tmp_path)
    assert plain.returncode == 0
    assert trace("-m", "package", "a", cwd=tmp_path).stdout == plain.stdout


def test_traceback_of_a_failing_backward_is_that_of_plain_python(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FAILING)
    plain, traced = python("program.py", cwd=tmp_path), trace("program.py", cwd=tmp_path)
    assert traced.returncode == plain.returncode == 1
    assert traced.stderr.startswith(plain.stderr)
    assert "saved-tensor-modified" in traced.stderr


def test_traceback_of_an_operator_is_that_of_plain_python(tmp_path: Path) -> None:
    """Below a dispatch mode a frame of torch's stands between the program and the operator."""
    (tmp_path / "program.py").write_text("import torch\ntorch.ones(3) @ torch.ones(4)\n")
    plain, traced = python("program.py", cwd=tmp_path), trace("program.py", cwd=tmp_path)
    assert "inconsistent tensor size" in plain.stderr
    assert traced.stderr.startswith(plain.stderr)


def test_tracebacks_that_a_program_prints_are_those_of_plain_python(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TELLING)
    plain, traced = python("program.py", cwd=tmp_path), trace("program.py", cwd=tmp_path)
    assert "ExceptionGroup" in plain.stderr
    assert "in told by a thread" in plain.stderr
    assert traced.stdout == plain.stdout
    assert traced.stderr.startswith(plain.stderr)


def test_report_as_json_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FAILING)
    result = trace(
        "--output-format", "json", "--output-file", "report.json", "program.py", cwd=tmp_path
    )
    (finding,) = json.loads((tmp_path / "report.json").read_text())
    assert finding["filename"] == str(tmp_path / "program.py")
    assert finding["location"]["row"] == 4
    assert finding["predicts"]["row"] == 5
    assert "autograd-lint" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.py"], "trace: absent.py: there is no such file"),
        (["."], "trace: .: this is a folder; name the script in it"),
        (["-m", "absent.module"], "trace: -m absent.module: there is no such module"),
        (
            ["--timeline", "absent/page.html", __file__],
            "--timeline absent/page.html: cannot be written (No such file or directory)",
        ),
    ],
)
def test_what_cannot_be_run_is_told_in_one_line(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    result = trace(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr == f"autograd-lint: {said}\n"
