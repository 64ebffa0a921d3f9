"""What `autograd-lint trace` does.

`run_trace(target, arguments, as_module=..., output_format=..., output_file=..., color=...,
backward_calls=...)` runs the program, writes the report to standard error (or a file) when the
process ends, and returns the program's own exit status.
"""

from __future__ import annotations

import atexit
import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from autograd_lint.errors import Trouble
from autograd_lint.live import oldest
from autograd_lint.live.attention import DEFAULT_CALLS

if TYPE_CHECKING:  # torch is imported only once the program is to run
    from autograd_lint.findings import Finding
    from autograd_lint.live.kept import Inventory
    from autograd_lint.live.observing.recording import Recording
    from autograd_lint.live.tracing import Tracer

FORMATS = ("text", "concise", "json", "sarif")


def run_trace(
    target: str,
    arguments: list[str],
    *,
    as_module: bool = False,
    output_format: str = "text",
    output_file: str | None = None,
    color: str = "auto",
    backward_calls: int = DEFAULT_CALLS,
    saved: bool = False,
    timeline: str | None = None,
    record: str | None = None,
) -> int:
    """Run a script, or with `as_module` a module, under the tracer; its own exit status.

    `backward_calls` is how many calls of backward are observed in full (-1: all of them, 0: look
    only into failures). `saved` tells in text what the largest graph kept for backward, `timeline`
    is a file for the picture of it, `record` one for what the functions of the project below the
    working directory were given; each of several ranks writes files of its own. Raises Trouble
    where torch or the program is missing.
    """
    _require(target, as_module)
    output_file, timeline, record = map(_of_rank, (output_file, timeline, record))
    from autograd_lint.live.kept import Inventory
    from autograd_lint.live.observing.recording import Recording
    from autograd_lint.live.program import run_module, run_script
    from autograd_lint.live.sites import Sites
    from autograd_lint.live.tracing import Tracer

    stream = _target(output_file)
    _as_python_opens(sys.stdout)
    inventory = Inventory() if saved or timeline else None
    program = None if as_module else os.path.abspath(target)
    recording = None
    if record is not None:
        _target(record, "--record").close()  # what cannot be written is to be told before the run
        recording = Recording(Path.cwd(), Sites(program))
    tracer = Tracer(backward_calls, program, inventory, recording=recording)
    report = Report(tracer, stream, output_format, color)
    if recording is not None and record is not None:
        report.facts = Facts(recording, Path(record).absolute())
    if inventory is not None:
        report.picture = Picture(inventory, stream if saved else None, timeline)
    # Registered first, it runs last: after the program's threads and its own exit handlers.
    atexit.register(report.write)
    tracer.start()
    run = run_module if as_module else run_script
    failed: list[BaseException] = []

    def note(error: BaseException) -> None:
        failed.append(error)
        tracer.note_error(error)

    status = run(target, arguments, note)
    if not failed:
        tracer.ended()
    return status


class Report:
    """Writes what a tracer found, once, in the process that ran the program."""

    def __init__(self, tracer: Tracer, stream: TextIO, output_format: str, color: str) -> None:
        self._tracer = tracer
        self._stream = stream
        self._format = output_format
        self._color = color
        self._process = os.getpid()
        self.picture: Picture | None = None
        self.facts: Facts | None = None

    def write(self) -> None:
        """Stop the tracer and write the report."""
        if os.getpid() != self._process:
            return
        self._tracer.stop()
        if self.facts is not None:
            self.facts.write()
        if not _is_closed(sys.stdout):
            sys.stdout.flush()
        if _is_closed(self._stream):
            return  # the program has closed where the report was to go
        from autograd_lint.live.findings import findings_of

        found = findings_of(self._tracer.faults)
        if self._format == "json":
            from autograd_lint.report import json as as_json

            if isinstance(self._stream, TextIOWrapper):
                self._stream.reconfigure(encoding="utf-8")
            self._stream.write(as_json.findings(found) + "\n")
            self._tell_unseen_beside()
        elif self._format == "sarif":
            from autograd_lint.report import sarif
            from autograd_lint.rules.pages import described

            self._stream.write(sarif.findings(found, described(), _lines) + "\n")
            self._tell_unseen_beside()
        else:
            self._draw(found)
        if self.picture is not None:
            self.picture.write()
        self._stream.flush()

    def _draw(self, found: list[Finding]) -> None:
        from autograd_lint.report import concise, printer, text

        colour = printer.wants_colour(self._color, self._stream)
        if self._format == "text":
            lines = text.findings(found, _lines, printer.width_of(self._stream), observed=True)
        else:
            lines = concise.findings(found)
        printer.write(lines, self._stream, colour)
        self._stream.write(_summary(len(found)) + "\n")
        if found and not self._tracer.observing:
            self._stream.write(_PARTLY + "\n")
        elif self._tracer.has_rested:
            self._stream.write(f"autograd-lint: {rested(*self._tracer.rounds)}\n")
        self._tell_unseen(self._stream)

    def _tell_unseen_beside(self) -> None:
        """Tell it to people where a program reads the rest."""
        if self._stream is not sys.stderr and not _is_closed(sys.stderr):
            self._tell_unseen(sys.stderr)

    def _tell_unseen(self, stream: TextIO) -> None:
        if self._tracer.children:
            stream.write(f"autograd-lint: {not_seen(self._tracer.children)}\n")
        for what, times in self._tracer.unseen.items():
            stream.write(f"autograd-lint: not seen: {what}, {times} times\n")


@dataclass(frozen=True)
class Facts:
    """Writes what functions were given to a file."""

    recording: Recording
    path: Path

    def write(self) -> None:
        """Write the document."""
        from autograd_lint.observed.documents import text_of

        self.path.write_text(text_of(self.recording.observed), encoding="utf-8")


class Picture:
    """Tells and draws what graphs kept for backward."""

    def __init__(self, inventory: Inventory, table: TextIO | None, page: str | None) -> None:
        self._inventory = inventory
        self._table = table
        self._page = page
        if page is not None:
            # A file that cannot be written is to be told before the run.
            _target(page, "--timeline").close()

    def write(self) -> None:
        """Write the table, and the page."""
        from autograd_lint.live.kept import table
        from autograd_lint.live.timeline import page

        largest = self._inventory.largest
        if self._table is not None:
            lines = table(largest) if largest else ["nothing called backward"]
            self._table.writelines(f"{line}\n" for line in lines)
        if self._page is not None:
            graphs = self._inventory.first
            places = [graph.place.filename for graph in graphs if graph.place]
            text = page(graphs, {name: _lines(name) for name in places})
            Path(self._page).write_text(text, encoding="utf-8")


_PARTLY = (
    "autograd-lint: only the first calls of backward were observed in full; "
    "`--backward-calls -1` observes all and names more places"
)


def rested(rounds: int, observed: int) -> str:
    """That operators were not observed before some of so many calls of backward."""
    before = f" (before {observed} of {rounds} calls of backward)" if rounds else ""
    return (
        f"operators were observed until none was new, and then now and then{before}; "
        "`--backward-calls -1` observes all"
    )


def _is_closed(stream: object) -> bool:
    """Whether the program has closed a stream, or put None in its place."""
    return stream is None or bool(getattr(stream, "closed", False))


def _summary(findings: int) -> str:
    rank = _rank()
    whose = f"rank {rank} traced" if rank else "traced"
    if not findings:
        return f"autograd-lint: {whose}, nothing found"
    return f"autograd-lint: {whose}, {findings} finding{'s' * (findings > 1)}"


def _rank() -> str | None:
    """The number of this process among several that torchrun has started; None if it is alone."""
    several = os.environ.get("WORLD_SIZE", "1") != "1"
    return os.environ.get("RANK") if several else None


def _of_rank(name: str | None) -> str | None:
    """The name of a file, with the rank of this process in it if there are several."""
    rank = _rank()
    if name is None or not rank:
        return name
    path = Path(name)
    return str(path.with_name(f"{path.stem}.rank{rank}{path.suffix}"))


def not_seen(number: int) -> str:
    """That so many processes were not observed."""
    started = "a process" if number == 1 else f"{number} processes"
    return f"not seen: {started} that the program has started; trace each by itself"


def _lines(filename: str) -> list[str]:
    try:
        return Path(filename).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _require(target: str, as_module: bool) -> None:
    oldest.require("trace")
    if as_module and not _is_module(target):
        raise Trouble(f"trace: -m {target}: there is no such module")
    if not as_module and Path(target).is_dir():
        raise Trouble(f"trace: {target}: this is a folder; name the script in it")
    if not as_module and not Path(target).is_file():
        raise Trouble(f"trace: {target}: there is no such file")
    from autograd_lint.live.block import require

    require()


def _is_module(name: str) -> bool:
    """Whether there is a module, or the package that it is said to lie in; nothing is imported."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        return find_spec(name.partition(".")[0]) is not None
    except ValueError:  # a module that was loaded without a specification
        return True
    finally:
        del sys.path[0]


def _target(output_file: str | None, option: str = "--output-file") -> TextIO:
    if output_file is None:
        return sys.stderr
    try:
        return open(output_file, "w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        message = f"{option} {output_file}: cannot be written ({error.strerror})"
        raise Trouble(message) from None


def _as_python_opens(stream: TextIO) -> None:
    # The command line relaxed how odd characters are written; the program is not to see that.
    errors = "surrogateescape" if sys.flags.utf8_mode else "strict"
    stream.reconfigure(errors=errors)  # type: ignore[attr-defined]
