"""A part of a program under the tracer: what `autograd_lint.trace()` opens and closes.

Torch can be watched by one tracer at a time. Blocks that are opened inside of others, or beside
them in other threads, share it: each has its own report, of what was found while it was open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, get_ident
from types import TracebackType
from typing import Protocol

from autograd_lint.engine.faults import Fault
from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding
from autograd_lint.live.findings import findings_of
from autograd_lint.live.kept import Graph, Inventory
from autograd_lint.live.own_frames import leave_out
from autograd_lint.live.private import missing
from autograd_lint.live.source import lines_of
from autograd_lint.live.tracing import Tracer


def require() -> None:
    """Raise Trouble where this torch cannot be observed."""
    lacking = missing()
    if lacking:
        raise Trouble(f"trace: this torch lacks {', '.join(lacking)}; install another version")


class Printer(Protocol):
    """What an interactive shell hands to an object that it is to show."""

    def text(self, text: str) -> None: ...


@dataclass
class Report:
    """What a traced part of a program has shown; it grows while the part runs.

    `findings` is what went wrong, `saved` the first graphs that backward walked through and what
    each kept (saved tensors, bytes, the lines that saved them), `unseen` what could not be
    observed, and how often, `children` how many processes were started that were not observed.
    """

    findings: tuple[Finding, ...] = ()
    saved: tuple[Graph, ...] = ()
    unseen: dict[str, int] = field(default_factory=dict)
    children: int = 0

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one self-contained page: findings, and the life of saved tensors.

        Written to `path` too, where one is given.
        """
        from autograd_lint.live.page import page

        text = page(self.findings, self.saved)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.to_html()

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        """What a shell without pages shows, as IPython's in a terminal."""
        printer.text(str(self))

    def __str__(self) -> str:
        from autograd_lint.report import text

        if not self.findings:
            return "autograd-lint: traced, nothing found"
        drawn = text.findings(self.findings, lines_of, observed=True)
        return "\n".join("".join(part for part, _ in line).rstrip() for line in drawn)


class _Shared:
    """The tracer that blocks share, and how many are open."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = 0
        self._tracer: Tracer | None = None
        self._inventory = Inventory()
        self._thread = 0

    def open(self, backward_calls: int) -> tuple[Tracer, Inventory, bool]:
        """The tracer, what it knows of graphs, and whether this thread is to be joined to it."""
        with self._lock:
            if self._tracer is None:
                self._inventory = Inventory()
                self._tracer = Tracer(backward_calls, inventory=self._inventory)
                self._tracer.start()
                self._thread = get_ident()
            self._open += 1
            return self._tracer, self._inventory, self._tracer.join()

    def close(self) -> None:
        """A block ends; the last one leaves torch as it was."""
        with self._lock:
            self._open -= 1
            if not self._open and self._tracer is not None:
                self._tracer.stop()
                self._tracer = None


_SHARED = _Shared()


class Block:
    """The context manager; `whole` says that the block is a program of its own, run to its end."""

    def __init__(self, backward_calls: int, *, whole: bool = False) -> None:
        require()
        self._backward_calls = backward_calls
        self._whole = whole
        self._report = Report()

    def __enter__(self) -> Report:
        self._tracer, self._inventory, self._joined = _SHARED.open(self._backward_calls)
        self._before: Sequence[Fault] = self._tracer.faults
        self._graphs = len(self._inventory.first)
        self._started = self._tracer.children
        return self._report

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if isinstance(error, Exception):
                self.note(error)
                leave_out(error)
            elif error is None and self._whole:
                self._tracer.ended()
        finally:
            if self._joined:
                self._tracer.leave()
            self._tell()
            _SHARED.close()

    def note(self, error: BaseException) -> None:
        """An exception that ended what the block runs, whoever has caught it."""
        self._tracer.note_error(error)

    def _tell(self) -> None:
        new = [one for one in self._tracer.faults if one not in self._before]
        self._report.findings = tuple(findings_of(new))
        self._report.saved = tuple(self._inventory.first[self._graphs :])
        self._report.unseen = dict(self._tracer.unseen)
        self._report.children = self._tracer.children - self._started
