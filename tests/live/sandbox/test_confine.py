"""What a confined process cannot do, without the namespaces around it: each wall holds alone."""

import errno
import fcntl
import os
import pickle
import signal
import socket
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from autograd_lint.live.sandbox import (
    capabilities,
    landlock,
    seccomp,
    system,
    view,
)
from autograd_lint.live.sandbox import (
    confine as layers,
)
from autograd_lint.live.sandbox.confine import Limits, confine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
_PATIENCE = 15
_KNOWS_COMMANDS = 5  # the version of Landlock that can forbid commands to devices


def in_child(act: Callable[[], Any]) -> Any:
    """What `act` gave in a child, or the name of the exception it raised, or the exit code."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)
        signal.alarm(_PATIENCE)  # where a limit does not hold, the test is to fail, not to hang
        try:
            result = act()
        except BaseException as error:
            result = type(error).__name__
        os.write(writing, pickle.dumps(result))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        data = stream.read()
    status = os.waitpid(child, 0)[1]
    return pickle.loads(data) if data else os.waitstatus_to_exitcode(status)


def confined(act: Callable[[], Any], folder: Path, cuda: bool = False, **limits: int) -> Any:
    """The same in a confined child."""

    def run() -> Any:
        lacking = confine(Limits(str(folder), tuple(view.readable()), **limits), cuda)
        return f"lacking: {lacking}" if lacking else act()

    result = in_child(run)
    if isinstance(result, str) and result.startswith("lacking: "):
        pytest.skip(f"this system lacks {result}")
    return result


def gradient() -> list[float]:
    x = torch.ones(3, requires_grad=True)
    x.exp().sum().backward()
    return x.grad.tolist()


def test_torch_works(tmp_path: Path) -> None:
    assert confined(gradient, tmp_path) == pytest.approx([2.718282] * 3)


def test_own_folder_can_be_written(tmp_path: Path) -> None:
    assert confined(lambda: (tmp_path / "x").write_text("x"), tmp_path) == 1


def test_other_files_cannot_be_written(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    assert confined(lambda: other.write_text("x"), own) == "PermissionError"
    assert not other.exists()


def test_torch_cannot_write_other_files_either(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    assert confined(lambda: torch.save(torch.ones(3), other), own) == "RuntimeError"
    assert not other.exists()


def test_files_cannot_be_removed(tmp_path: Path) -> None:
    own, project = tmp_path / "own", tmp_path / "project"
    own.mkdir()
    project.mkdir()
    (project / "a.py").write_text("a = 1\n")

    def remove() -> None:
        import shutil

        shutil.rmtree(project)

    assert confined(remove, own) == "PermissionError"
    assert (project / "a.py").read_text() == "a = 1\n"


def test_files_outside_of_the_project_cannot_be_read(tmp_path: Path) -> None:
    own, secret = tmp_path / "own", tmp_path / "secret"
    own.mkdir()
    secret.write_text("secret")
    assert confined(secret.read_text, own) == "PermissionError"


def test_no_connection_to_a_listener_on_loopback(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        address = listener.getsockname()
        assert confined(lambda: socket.create_connection(address), tmp_path) == "PermissionError"
        with pytest.raises(TimeoutError):
            listener.accept()


def test_no_datagram_to_a_listener_on_loopback(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(0.2)
        address = listener.getsockname()

        def send() -> None:
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", address)

        assert confined(send, tmp_path) == "PermissionError"
        with pytest.raises(TimeoutError):
            listener.recv(1)


def test_no_new_process(tmp_path: Path) -> None:
    assert confined(os.fork, tmp_path) == "PermissionError"


def test_no_other_program(tmp_path: Path) -> None:
    assert confined(lambda: os.execv("/bin/true", ["true"]), tmp_path) == "PermissionError"


def test_no_signal_to_others(tmp_path: Path) -> None:
    parent = os.getpid()
    assert confined(lambda: os.kill(parent, 0), tmp_path) == "PermissionError"


def test_threads_are_allowed(tmp_path: Path) -> None:
    import threading

    def run() -> list[int]:
        seen: list[int] = []
        thread = threading.Thread(target=seen.append, args=(1,))
        thread.start()
        thread.join()
        return seen

    assert confined(run, tmp_path) == [1]


def test_memory_has_an_end(tmp_path: Path) -> None:
    gigabytes = lambda: bytearray(2 << 30)  # noqa: E731
    assert confined(gigabytes, tmp_path, memory_megabytes=512) == "MemoryError"


def test_a_file_has_an_end(tmp_path: Path) -> None:
    def write() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        (tmp_path / "big").write_bytes(bytes(3 << 20))

    assert confined(write, tmp_path, file_megabytes=1) == "OSError"


def test_time_has_an_end(tmp_path: Path) -> None:
    def spin() -> None:
        while True:
            pass

    assert confined(spin, tmp_path, seconds=1) in (-signal.SIGXCPU, -signal.SIGKILL)


def refuse(*arguments: object) -> int:
    raise system.Refused("Function not implemented")


@pytest.mark.parametrize(
    ("owner", "function", "layer"),
    [
        (capabilities, "syscall", "no capabilities"),
        (landlock, "syscall", "files (Landlock)"),
        (seccomp, "prctl", "system calls (seccomp)"),
    ],
)
def test_a_layer_that_the_system_refuses_is_named_and_the_others_hold(
    owner: Any, function: str, layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unaided = in_child(lambda: confine(Limits(str(tmp_path))))
    monkeypatch.setattr(owner, function, refuse)
    lacking = in_child(lambda: confine(Limits(str(tmp_path))))
    assert set(lacking) == {f"{layer}: Function not implemented", *unaided}


def test_a_processor_without_a_filter_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seccomp, "machine", lambda: "riscv64")
    lacking = in_child(lambda: confine(Limits(str(tmp_path))))
    assert "system calls (seccomp): no filter for riscv64" in lacking


def test_another_system_lacks_all_but_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layers, "sys", SimpleNamespace(platform="darwin"))
    lacking = in_child(lambda: confine(Limits(str(tmp_path))))
    assert len(lacking) == 5
    assert all(one.endswith(": not on darwin") for one in lacking)


@pytest.mark.skipif(os.getuid() != 0, reason="who has no capabilities can drop none")
def test_the_superuser_keeps_no_capability(tmp_path: Path) -> None:
    def held() -> list[str]:
        lines = Path("/proc/self/status").read_text().splitlines()
        return [
            line.split()[1] for line in lines if line.startswith(("CapPrm", "CapEff", "CapBnd"))
        ]

    assert confined(held, tmp_path) == ["0" * 16] * 3


def command_to(device: str) -> int | None:
    """The error that a device answers a command with that it does not know."""
    with open(device) as stream:
        try:
            fcntl.ioctl(stream, termios.TCGETS, bytes(64))
        except OSError as error:
            return error.errno
    return None


def test_a_device_that_is_writable_takes_commands_and_no_other_does() -> None:
    def act() -> tuple[int | None, int | None]:
        landlock.restrict(["/dev/zero"], ["/dev/null"])
        return command_to("/dev/null"), command_to("/dev/zero")

    other = errno.EACCES if landlock.version() >= _KNOWS_COMMANDS else errno.ENOTTY
    assert in_child(act) == (errno.ENOTTY, other)


def own_name() -> int:
    """Give this thread a name by the file in which its name stands, as CUDA's driver does."""
    return Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text("x")


def test_a_thread_is_named_by_its_file_for_cuda_alone(tmp_path: Path) -> None:
    assert confined(own_name, tmp_path, cuda=True) == 1
    assert confined(own_name, tmp_path) == "PermissionError"


def test_no_thread_of_another_process_is_named_for_cuda(tmp_path: Path) -> None:
    name = Path(f"/proc/{os.getpid()}/comm")
    before = name.read_text()
    assert confined(lambda: name.write_text("x"), tmp_path, cuda=True) == "PermissionError"
    assert name.read_text() == before


def unix_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def test_a_socket_waits_for_others_for_cuda(tmp_path: Path) -> None:
    def wait() -> str:
        with unix_socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            listener.bind(str(tmp_path / "x"))
            listener.listen()
        return "waited"

    assert confined(wait, tmp_path, cuda=True) == "waited"


def test_nobody_is_there_to_connect_to_for_cuda(tmp_path: Path) -> None:
    with unix_socket() as listener:
        listener.bind(str(tmp_path / "x"))
        listener.listen()
        listener.settimeout(0.2)
        found = confined(lambda: unix_socket().connect(str(tmp_path / "x")), tmp_path, cuda=True)
        assert found == "FileNotFoundError"
        with pytest.raises(TimeoutError):
            listener.accept()


def test_no_socket_of_another_family_for_cuda(tmp_path: Path) -> None:
    assert confined(lambda: socket.socket(socket.AF_INET), tmp_path, cuda=True) == "PermissionError"
