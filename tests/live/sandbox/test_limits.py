"""Witnesses that use more than they may: an end to each, and nothing is left of them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from textwrap import dedent

import pytest
from tests.live.sandbox.forked import NOBODY, ForkedWitnesses, Process
from tests.live.sandbox.left import has_ended

from autograd_lint.live.confirm import frames
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.frames import Frame, Kind
from autograd_lint.live.confirm.jobs import Job, Outcome
from autograd_lint.live.confirm.terms import Ready, Terms

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
USERS = [None, *([NOBODY] if hasattr(os, "getuid") and os.getuid() == 0 else [])]


@pytest.fixture(scope="module", params=USERS)
def witnesses(request: pytest.FixtureRequest) -> Iterator[Witnesses]:
    with ForkedWitnesses(request.param) as running:
        yield running


def run(witnesses: Witnesses, source: str, **options: object) -> Outcome:
    return witnesses.run(Job("/project/program.py", dedent(source).lstrip(), **options))


def test_the_disk_is_a_small_one(witnesses: Witnesses) -> None:
    source = """
        written = 0
        for number in range(40):
            with open(str(number), "wb") as stream:
                written += stream.write(bytes(32 << 20))
        """
    result = run(witnesses, source)
    assert (result.ended, result.row) == ("raised", 4)
    assert result.error is not None
    assert "No space left" in result.error
    again = run(witnesses, "open('x', 'wb').write(bytes(32 << 20))\n")
    assert again.ended == "done", "what a witness has written is left"


def test_files_are_few(witnesses: Witnesses) -> None:
    result = run(witnesses, "for number in range(9999):\n    open(str(number), 'w').close()\n")
    assert result.error is not None
    assert "No space left" in result.error


def test_threads_are_few(witnesses: Witnesses) -> None:
    source = """
        import threading, time
        threading.stack_size(1 << 18)
        for number in range(2000):
            threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
        """
    result = run(witnesses, source)
    assert result.error is not None
    assert "can't start new thread" in result.error, result.ended


def test_sleepers_are_woken(witnesses: Witnesses) -> None:
    began = time.monotonic()
    source = "import signal, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
    result = run(witnesses, source + "while True:\n    time.sleep(1)\n", seconds=1)
    assert result.ended == "time"
    assert time.monotonic() - began < 30


def test_answers_are_short(witnesses: Witnesses) -> None:
    source = "import os\nwhile True:\n    os.write(3, bytes(1 << 20))\n"
    assert run(witnesses, source).ended == "broken"
    assert run(witnesses, "x = 1\n").ended == "done"


@pytest.mark.parametrize(
    "forged", ["{}", "[]", "x", "[" * 100_000, '{"ended": "done", "seen": 1}', '{"ended": []}']
)
def test_forged_answers_are_none(witnesses: Witnesses, forged: str) -> None:
    source = f"import os\nos.write(3, {forged!r}.encode() + b'\\n')\nos._exit(0)\n"
    assert run(witnesses, source).ended == "broken"


def test_answers_cannot_move_the_terminal(witnesses: Witnesses) -> None:
    result = run(witnesses, "raise ValueError('\\x1b[2J\\rnothing found')\n")
    assert result.error == "ValueError: \ufffd[2J\ufffdnothing found"


def test_descriptors_of_the_process_are_not_handed_on(witnesses: Witnesses) -> None:
    source = (
        "import os\nassert os.listdir(f'/proc/{os.getpid()}/fd') == ['0', '1', '2', '3', '4']\n"
    )
    result = run(witnesses, source)
    assert result.ended == "done", result.error


def test_no_process_is_left() -> None:
    with ForkedWitnesses() as witnesses:
        assert run(witnesses, "open('left', 'w').write('x')\n").ended == "done"
        process = witnesses._server
        assert process is not None
    assert has_ended(process.pid)


CLIENT = """
import sys
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.jobs import Job
with Witnesses() as witnesses:
    witnesses.run(Job("/project/p.py", "x = 1\\n"))
    print(witnesses._server.pid, flush=True)
    witnesses.run(Job("/project/p.py", "while True: pass\\n"))
"""


def test_a_client_that_is_killed_takes_all_with_it() -> None:
    with subprocess.Popen([sys.executable, "-c", CLIENT], stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        server = int(client.stdout.readline())
        time.sleep(0.5)
        client.kill()
    assert has_ended(server)


class _Forger(ForkedWitnesses):
    """A process that answers before it is told the secret."""

    def _begin(self, terms: Terms) -> Ready:
        def forge() -> None:
            frames.write(1, Frame(Kind.READY, Ready("2.13").encode()))
            frames.write(1, Frame(Kind.DONE))
            frames.write(1, Frame(Kind.ANSWER, bytes(16) + Outcome("done").encode().encode()))
            time.sleep(30)

        self._server = Process(forge)  # type: ignore[assignment]
        return self._greeting()


def test_an_answer_without_the_secret_is_none() -> None:
    with _Forger() as witnesses:
        assert run(witnesses, "x = 1\n").ended == "broken"
