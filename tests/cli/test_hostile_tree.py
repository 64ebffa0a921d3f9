"""`check` over a tree that wants to be run: none of it is, nothing is written but the cache."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOSTILE = "import os\nopen('ran', 'w')\nos.system('touch ran')\n"
PROGRAM = "import torch\nimport click, helper\nw = torch.ones(3, requires_grad=True)\nw.add_(1)\n"
NAMES = ("torch", "click", "libcst", "pathspec", "conftest", "sitecustomize", "usercustomize",
         "helper", "setup", "json", "ast", "rich", "tomllib", "noxfile")  # fmt: skip

WATCHED = """
import sys
sys.path[:1] = []
import json, os
seen = []
tree = os.getcwd() + os.sep
def watch(event, given):
    if event == "open":
        path, mode, flags = given
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes and path != os.devnull and not isinstance(path, int):
            seen.append(["write", os.fspath(path)])
    elif event == "exec" and getattr(given[0], "co_filename", "").startswith(tree):
        seen.append(["exec", given[0].co_filename])
    elif event == "import" and isinstance(given[1], str) and given[1].startswith(tree):
        seen.append(["import", given[1]])
    elif event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn")):
        seen.append([event, repr(given)[:80]])
sys.addaudithook(watch)
sys.argv = ["autograd-lint", "check", "--output-format", "concise", "."]
from autograd_lint.cli import main
code = main()
sys.stdout.flush()
print("SEEN", json.dumps(seen))
sys.exit(code)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(HOSTILE)
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "package").mkdir()
    (tmp_path / "package/__init__.py").write_text(HOSTILE + PROGRAM)
    return tmp_path


def test_an_audit_hook_sees_nothing_of_it_run(tree: Path) -> None:
    command = [sys.executable, "-B", "-c", WATCHED]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "train.py:4:1: AG101" in done.stdout
    seen = json.loads(done.stdout.rpartition("SEEN ")[2])
    cache = str(tree / ".autograd_lint_cache")
    assert [one for one in seen if not (one[0] == "write" and one[1].startswith(cache))] == []
    assert not (tree / "ran").exists()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not here")
def test_strace_sees_no_program_no_socket_and_no_write(tree: Path) -> None:
    log = tree.parent / "calls"
    code = "import sys; sys.path[:1] = []; from autograd_lint.cli import start; start()"
    command = ["strace", "-f", "-o", str(log), "-e", "trace=execve,socket,connect,open,openat",
               sys.executable, "-B", "-c", code, "check", "--no-cache", "."]  # fmt: skip
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    if "ptrace" in done.stderr:
        pytest.skip("this system lets nobody be traced")
    assert done.returncode == 1, done.stderr
    calls = log.read_text().splitlines()
    assert sum("execve(" in call for call in calls) == 1
    assert not [call for call in calls if "socket(" in call or "connect(" in call]
    written = [
        call for call in calls if "O_WRONLY" in call or "O_RDWR" in call or "O_CREAT" in call
    ]
    assert not [call for call in written if "/dev/" not in call]
    assert not (tree / "ran").exists()
