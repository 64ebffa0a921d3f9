"""Talks to the process that runs witnesses."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from contextlib import suppress

from autograd_lint import addresses
from autograd_lint.errors import Trouble
from autograd_lint.live.confirm import frames
from autograd_lint.live.confirm.frames import Broken, Frame, Kind
from autograd_lint.live.confirm.jobs import LONGEST_OUTCOME, Job, Outcome
from autograd_lint.live.confirm.sources import sources
from autograd_lint.live.confirm.terms import Ready, Terms
from autograd_lint.live.sandbox import bubblewrap, view

_STARTING = 180  # seconds, on a machine that has never read torch's files
_SLACK = 30  # seconds besides those that a witness may take
_SECRET = 16  # bytes

# Nothing of the working directory or of the environment is imported; the package is taken from
# where it is now, without whatever else lies there.
_START = """
import importlib.util, sys
folder, more, terms = sys.argv[1:]
sys.path += [more] if more else []
spec = importlib.util.spec_from_file_location(
    "autograd_lint", folder + "/__init__.py", submodule_search_locations=[folder])
module = importlib.util.module_from_spec(spec)
sys.modules["autograd_lint"] = module
spec.loader.exec_module(module)
from autograd_lint.live.confirm.server import main
main()
"""


class Witnesses:
    """Runs jobs, each once; the process behind it starts with the first and ends with `close`.

    Unless `unconfined`, nothing is run where the system cannot confine it. `ways` are the ways to
    namespaces that are tried in turn (see `Terms.apart`).
    """

    def __init__(self, unconfined: bool = False) -> None:
        self.ways: tuple[str, ...] = ("own", "bubblewrap") if bubblewrap.is_there() else ("own",)
        self._unconfined = unconfined
        self._server: subprocess.Popen[bytes] | None = None
        self._ready = Ready()
        self._sent: set[tuple[str, str]] = set()  # roots, and folders of files, whose files it has
        self._known: dict[Job, Outcome] = {}

    def run(self, job: Job) -> Outcome:
        """The outcome of a job. Raises Trouble where no witness can be run at all."""
        if job not in self._known:
            self._known[job] = self._ask(job)
        return self._known[job]

    def has_cuda(self) -> bool:
        """Whether torch sees a CUDA device. Raises Trouble as `run` does."""
        self._start(cuda=True)
        return self._ready.cuda

    def close(self) -> None:
        """End the process, and with it all that it has started."""
        if self._server is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._server.pid, signal.SIGKILL)
        for stream in (self._server.stdin, self._server.stdout, self._server.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._server.wait()
        self._server = None
        self._sent.clear()

    def __enter__(self) -> Witnesses:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def _ask(self, job: Job) -> Outcome:
        """Have a job run. An answer without the secret of the job is none."""
        self._start(cuda=job.device != "cpu")
        try:
            self._show_sources(job)
            self._write(Frame(Kind.JOB, job.encode().encode()))
            self._read(Kind.DONE, 3 * job.seconds + _SLACK)
            secret = secrets.token_bytes(_SECRET)
            self._write(Frame(Kind.SECRET, secret))
            answer = self._read(Kind.ANSWER, _SLACK)
            if not answer.startswith(secret):
                raise Broken("an answer to another question")
            outcome = Outcome.decode(answer[_SECRET:].decode())
        except (Broken, ValueError):
            self.close()  # whatever it is, it is not trusted with another job
            return Outcome("broken")
        if outcome.ended == "refused":
            raise _cannot(outcome.lacking)
        return outcome

    def _show_sources(self, job: Job) -> None:
        about = (job.root, os.path.dirname(job.filename))
        if about in self._sent:
            return
        self._sent.add(about)
        for path, data in sources(job.root, job.filename):
            self._write(Frame(Kind.FILE, os.fsencode(path) + b"\0" + data))

    def _write(self, frame: Frame) -> None:
        assert self._server is not None
        assert self._server.stdin is not None
        frames.write(self._server.stdin.fileno(), frame)

    def _read(self, kind: Kind, seconds: float) -> bytes:
        assert self._server is not None
        assert self._server.stdout is not None
        frame = frames.read(self._server.stdout.fileno(), seconds, LONGEST_OUTCOME + _SECRET)
        if frame.kind is not kind:
            raise Broken("a message out of turn")
        return frame.body

    def _start(self, cuda: bool) -> None:
        """Start the process if there is none; tries what makes namespaces in turn."""
        if self._server is not None:
            return
        if not hasattr(os, "fork"):
            raise Trouble("--confirm: witnesses cannot be run on this system; use `trace`")
        strict = not self._unconfined
        refused: tuple[str, ...] = ()
        for apart in self.ways if sys.platform == "linux" else ("none",):
            self._ready = self._begin(Terms(strict, apart, cuda=cuda))
            if not self._ready.lacking:
                break
            refused = refused or self._ready.lacking
            self.close()
        if self._ready.lacking and strict:
            raise _cannot(refused)
        if self._server is None:
            self._ready = self._begin(Terms(strict, "none", refused[0], cuda))
        if self._server is None:
            raise Trouble(f"--confirm: witnesses cannot be run: {self._ready.lacking[0]}")
        if self._ready.error:
            self.close()
            raise Trouble(f"--confirm: {self._ready.error}")

    def _begin(self, terms: Terms) -> Ready:
        self._server = subprocess.Popen(
            _command(terms),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # of its start alone: it closes it before it answers
            bufsize=0,
            cwd="/",
            env=_environment(terms.cuda),
            start_new_session=True,
        )
        return self._greeting()

    def _greeting(self) -> Ready:
        """What the process says of itself; where it says nothing, that it lacks everything."""
        try:
            return Ready.decode(self._read(Kind.READY, _STARTING))
        except (Broken, ValueError) as reason:
            said = self._last_line() or str(reason)
            self.close()
            return Ready(lacking=(f"the process that runs witnesses: {said}",))

    def _last_line(self) -> str:
        """What the process wrote last to standard error, such as the exception it ended with."""
        assert self._server is not None
        if self._server.stderr is None:
            return ""
        os.set_blocking(self._server.stderr.fileno(), False)
        lines = (self._server.stderr.read() or b"").decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")


def _command(terms: Terms) -> list[str]:
    """Python, isolated: neither the working directory nor PYTHON* variables say what it imports."""
    folder = addresses.FOLDER
    python = [sys.executable, "-I", "-B", "-c", _START, folder, view.user_packages() or ""]
    command = [*python, terms.encode()]
    if terms.apart == "bubblewrap":
        return bubblewrap.around(command, *view.shown(terms.cuda))
    return command


def _environment(cuda: bool) -> dict[str, str]:
    """What Python and torch need; nothing that a user may have put there."""
    kept = ["LD_LIBRARY_PATH", *(["CUDA_VISIBLE_DEVICES"] if cuda else [])]
    given = {name: os.environ[name] for name in kept if name in os.environ}
    own = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1"}
    # torch._dynamo asks who runs it, and a witness sees no list of users.
    return {**given, **own, "MKL_NUM_THREADS": "1", "MPLBACKEND": "Agg", "USER": "witness"}


def _cannot(lacking: tuple[str, ...]) -> Trouble:
    layers = ", ".join(lacking)
    return Trouble(
        f"--confirm: this system cannot confine what would be run ({layers}), so nothing was; "
        "for code that you trust, `--confirm-unconfined` runs it all the same"
    )
