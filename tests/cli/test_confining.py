"""`check --confirm` in hostile folders, and where the system confines nothing."""

import ctypes
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.live.sandbox.forked import ForkedWitnesses

from autograd_lint.errors import Trouble
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.jobs import Job
from autograd_lint.live.sandbox import seccomp, system
from autograd_lint.live.sandbox.system import PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, prctl

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
PROGRAM = """\
import torch

h = torch.zeros(3, requires_grad=True).exp()
h += 1
h.sum().backward()
"""
_NUMBERS = {"x86_64": (444, 317, 272, 56), "aarch64": (444, 277, 97, 220)}
_PRCTL = {"x86_64": 157, "aarch64": 167}


def check(folder: Path, *options: str, **more: object) -> subprocess.CompletedProcess[str]:
    """The command, started as its script starts it, in a folder."""
    code = "import sys; sys.path[:1] = []; from autograd_lint.cli import start; start()"
    command = [sys.executable, "-c", code, "check", "--no-cache", *options, "train.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def refusing(*steps: tuple[int, int | None]) -> Callable[[], None]:
    """To be run before a program starts: calls (with that first argument) fail with EPERM."""
    deny, allow = (0x06, 0, 0, 0x00050000 | 1), (0x06, 0, 0, 0x7FFF0000)
    code: list[tuple[int, int, int, int]] = [(0x20, 0, 0, 0)]
    for number, argument in steps:
        if argument is None:
            code += [(0x15, 0, 1, number), deny]
        else:
            code += [(0x15, 0, 4, number), (0x20, 0, 0, 16), (0x45, 0, 1, argument), deny, allow]
    packed = b"".join(struct.pack("HBBI", *step) for step in [*code, allow])

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    def install() -> None:
        prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1))
        program = Filter(len(packed) // 8, packed)
        prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(program))

    return install


def _steps(layer: str) -> list[tuple[int, int | None]]:
    landlock, seccomp, unshare, clone = _NUMBERS[os.uname().machine]
    if layer == "Landlock":
        return [(landlock, None)]
    if layer == "namespaces":
        return [(unshare, None), (clone, 0x10000000)]
    return [(seccomp, None), (_PRCTL[os.uname().machine], 22)]


def test_confirmed_where_everything_is_there(project: Path) -> None:
    done = check(project, "--confirm")
    assert done.returncode == 1, done.stderr
    assert "On the real engine: 1 confirmed" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("layer", ["namespaces", "Landlock"])
def test_nothing_runs_where_a_layer_is_refused(project: Path, layer: str) -> None:
    (project / "train.py").write_text(PROGRAM + "open('ran', 'w')\n")
    done = check(project, "--confirm", preexec_fn=refusing(*_steps(layer)))
    assert done.returncode == 2
    assert "this system cannot confine what would be run" in done.stderr
    assert layer in done.stderr
    assert "`--confirm-unconfined` runs it all the same" in done.stderr
    assert not (project / "ran").exists()


def test_nothing_runs_where_seccomp_is_refused(
    project: Path,
) -> None:
    def refuse(*arguments: object) -> None:
        raise system.Refused("Function not implemented")

    def before() -> None:
        seccomp.prctl = refuse

    job = Job(str(project / "train.py"), PROGRAM)
    with (
        ForkedWitnesses(before=before) as witnesses,
        pytest.raises(Trouble, match=r"system calls \(seccomp\): Function not implemented"),
    ):
        witnesses.run(job)


def test_unconfined_only_when_asked_for(project: Path) -> None:
    options = ("--confirm-unconfined", "--output-format", "json")
    done = check(project, *options, preexec_fn=refusing(*_steps("namespaces")))
    assert done.returncode == 1, done.stderr
    assert '"verdict": "confirmed"' in done.stdout
    assert "the sandbox lacks namespaces: Operation not permitted" in done.stderr
    assert "the witness ran without namespaces" in done.stdout


HOSTILE = "import os\nopen({marker!r}, 'a').write(__name__ + ' ' + str(os.getpid()) + '\\n')\n"
NAMES = ("torch", "triton", "tabulate", "tempfile", "click", "libcst", "sitecustomize", "numpy",
         "usercustomize", "conftest", "autograd_lint", "json", "secrets", "pathspec")  # fmt: skip


@pytest.mark.parametrize("as_module", [False, True])
def test_modules_of_the_folder_are_not_imported(project: Path, as_module: bool) -> None:
    marker = project / "marker"
    for name in NAMES:
        if not (as_module and name == "autograd_lint"):  # which is what `-m` is told to run
            (project / f"{name}.py").write_text(HOSTILE.format(marker=str(marker)))
    if as_module:
        command = [sys.executable, "-m", "autograd_lint", "check", "--confirm", "train.py"]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    else:
        done = check(project, "--confirm")
    assert done.returncode == 1, done.stderr
    assert "On the real engine" in done.stdout
    assert not marker.exists(), marker.read_text()


def test_variables_of_the_environment_are_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hush-hush")
    tell = "import os\ntry:\n    began = open(f'/proc/{os.getpid()}/environ').read()\n"
    tell += "except PermissionError:\n    began = 'kept'\nraise ValueError(began, {**os.environ})\n"
    with Witnesses() as witnesses:
        outcome = witnesses.run(Job("/project/train.py", tell))
    assert outcome.error is not None
    assert "PATH" in outcome.error
    assert "hush" not in outcome.error


def test_interrupting_ends_all_without_a_traceback(project: Path) -> None:
    (project / "train.py").write_text(PROGRAM + "while True: pass\n")
    code = "from autograd_lint.cli import start; start()"
    command = [sys.executable, "-c", code, "check", "--confirm", "--no-cache", "train.py"]
    process = subprocess.Popen(
        command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    children = _wait_for_child(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert said.strip() == "autograd-lint: interrupted"
    assert process.returncode == 2
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and any(Path(f"/proc/{one}").exists() for one in children):
        time.sleep(0.02)
    assert not [one for one in children if Path(f"/proc/{one}").exists()]


def _wait_for_child(parent: int) -> list[str]:
    """The processes that a process has started, once there is one."""
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if found := listed.read_text().split():
            time.sleep(1)
            return found
        time.sleep(0.02)
    raise TimeoutError
