"""The server as a process: its end, its streams, what it needs."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.server.editors import SERVER

INITIALIZE = {
    "id": 1,
    "method": "initialize",
    "params": {"capabilities": {}, "processId": None, "rootUri": None},
}


def framed(*messages: dict[str, object]) -> bytes:
    """Messages as they go over the wire."""
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


def started() -> subprocess.Popen[bytes]:
    """The server, started."""
    pipe = subprocess.PIPE
    return subprocess.Popen(SERVER, stdin=pipe, stdout=pipe, stderr=pipe)


@pytest.mark.parametrize(
    ("last", "code"),
    [
        ([{"id": 2, "method": "shutdown"}, {"method": "exit"}], 0),
        ([{"method": "exit"}], 1),
        ([], 1),
    ],
)
def test_the_exit_code_tells_whether_the_end_was_in_order(
    last: list[dict[str, object]], code: int
) -> None:
    process = started()
    out, err = process.communicate(framed(INITIALIZE, *last), timeout=60)
    assert (process.returncode, err) == (code, b"")
    assert b'"name":"autograd-lint"' in out.replace(b" ", b"")


def test_ctrl_c_ends_it_at_once() -> None:
    with started() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(framed(INITIALIZE))
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=60) == 2
        finally:
            process.kill()
        assert process.stderr.read() == b"autograd-lint: interrupted\n"


def test_ctrl_c_ends_a_wait_that_the_signal_itself_does_not_interrupt() -> None:
    # As when it comes right before the wait: another thread takes it, so no system call ends.
    code = """
import signal, threading, time

from autograd_lint.server.serving import serve

def send():
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        time.sleep(0.05)
    while True:
        time.sleep(0.1)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

threading.Thread(target=send, daemon=True).start()
raise SystemExit(serve())
"""
    command, pipe = [sys.executable, "-c", code], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.wait(timeout=60) == 2
        finally:
            process.kill()


def test_a_missing_extra_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError(name='pygls')\n")
    command = [SERVER[0], "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{SERVER[4]}"]
    done = subprocess.run([*command, "server"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "autograd-lint: the language server needs pygls; "
        "install it with `pip install 'autograd-lint[server]'`\n"
    )


def test_torch_is_not_imported(tmp_path: Path) -> None:
    code = "import sys, autograd_lint.server.serving; sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == 0
