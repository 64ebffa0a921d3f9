"""Tracebacks in every form in which people have them: Python's, IPython's, pytest's, rich's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograd_lint.diagnosis.evidence import Frame

_PYTHON = re.compile(
    r"""File "?(?P<file>[^"\n]+?)"?, line (?P<row>\d+)(?:, in (?P<function>[\w.<>\[\] ]+))?"""
)
_CELL = re.compile(
    r"^(?:File )?(?P<file>(?:Cell In ?|Input In ?|In ?)\[\d+\]|<ipython-input-\d+-\w+>)"
    r"(?:, line (?P<row>\d+)| in (?P<function>[\w.<>]+)|, in (?P<cell>[^\n]+))?"
)
_IPYTHON = re.compile(
    r"^(?:File )?(?P<file>[~/\w.][^\s:,()\"']*\.py)(?::(?P<row>\d+))?,? in (?P<function>[\w.<>]+)"
)
_RICH = re.compile(r"^(?P<file>\S.*\.py):(?P<row>\d+) in (?P<function>\S+)\s*$")
_PYTEST = re.compile(r"^(?P<file>[^\s:\"']+\.py):(?P<row>\d+):(?: (?P<raised>\w+))?\s*$")
_ARROW = re.compile(r"^\s*(?:-+>|❱)\s*(?P<row>\d+)(?: │)? ?(?P<text>.*)$")
_POINTED = re.compile(r"^>\s+(?P<text>\S.*)$")
_PYTEST_SAID = re.compile(r"^E\s{2,}(?P<text>.*)$")
_HEADER = re.compile(r"Traceback \(most recent call last\)|Traceback \(innermost last\)")
# What a worker process met, below the traceback of the process that waited for it.
_QUOTED = re.compile(r"Original Traceback")
_FORWARD = re.compile(
    r"(?:[Ee]rror detected in (?P<node>[\w:]+)\.? ?(?:No forward pass|Traceback of forward call"
    r"(?: that (?:caused|induced) the (?:error|previous calculation))?))"
)
_RAISED = re.compile(
    r"^\s*(?P<type>(?:[A-Za-z_][\w]*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Failure))"
    r"(?::\s*(?P<text>.*))?$"
)
_WARNED = re.compile(
    r"^\s*(?P<file>\S.*?\.py|<\S+>):(?P<row>\d+): (?P<type>\w*Warning): (?P<text>.*)$"
)
_CARETS = re.compile(r"^[\s~^]+$")
_CHAINED = re.compile(
    r"During handling of the above exception|The above exception was the direct cause"
)
_ENDS_FORWARD = re.compile(r"\(Triggered internally at|\(function _print_stack\)")
_LONGEST = 60  # lines of a message that are read


@dataclass
class Raised:
    """One exception as it was printed: its class, its message with all its lines, the frames that
    lead to it. `chained` says that it was raised while the one before it was handled."""

    type: str
    lines: list[str]
    frames: list[Frame] = field(default_factory=list)
    chained: bool = False

    @property
    def is_warning(self) -> bool:
        """Whether it was only printed, and the program went on."""
        return self.type.endswith("Warning")

    @property
    def message(self) -> str:
        """The text on one line."""
        return " ".join(" ".join(self.lines).split())


@dataclass
class Printed:
    """All that a text tells: exceptions in their order, and the forward call that anomaly mode
    blames (its frames, and the node that failed)."""

    raised: list[Raised] = field(default_factory=list)
    forward: list[Frame] = field(default_factory=list)
    failed: str | None = None


def printed(lines: Sequence[str]) -> Printed:
    """What the lines of a text tell."""
    return _Reader(lines).read()


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._found = Printed()
        self._frames: list[Frame] = []
        self._chained = False
        self._forward = False
        self._pointed = ""

    def read(self) -> Printed:
        index = 0
        while index < len(self._lines):
            index += self._line(index)
        return self._found

    def _line(self, index: int) -> int:
        """Take in a line; returns how many were taken in."""
        line = self._lines[index]
        if _CHAINED.search(line):
            self._chained = True
        forward = _FORWARD.search(line)
        if forward is not None:
            self._end()
            self._found.failed, self._forward = forward["node"], True
            return 1
        if _HEADER.search(line):
            self._end()
            if _QUOTED.search(line) and self._found.raised:
                self._frames = [*self._found.raised[-1].frames]
            return 1
        if self._forward and _ENDS_FORWARD.search(line):
            self._end()
            return 1
        warned = _WARNED.match(line)
        if warned is not None:
            text, taken = self._below(index + 1)
            frame = Frame(warned["file"], _row(warned["row"]), "", text)
            self._found.raised.append(Raised(warned["type"], [warned["text"]], [frame]))
            return 1 + taken
        taken = self._frame(index)
        if taken:
            return taken
        pointed = _POINTED.match(line)
        if pointed is not None:
            self._pointed = pointed["text"]
        return self._exception(index)

    def _end(self) -> None:
        """What frames were gathered so far belong to what has ended here."""
        if self._forward:
            self._found.forward = self._frames
        self._frames, self._forward = [], False

    def _frame(self, index: int) -> int:
        """Take in a frame and the code below it; returns how many lines that were."""
        line = self._lines[index].strip()
        match = _PYTHON.search(line)
        if match is not None:
            text, taken = self._below(index + 1)
            self._add(match["file"], match["row"], match["function"], text)
            return 1 + taken
        for pattern in (_CELL, _IPYTHON, _RICH):
            match = pattern.match(line)
            if match is not None:
                row, text, taken = self._arrow(index + 1)
                told = match.groupdict()
                self._add(match["file"], row or told.get("row"), told.get("function"), text)
                return 1 + taken
        match = _PYTEST.match(line)
        if match is not None:
            self._add(match["file"], match["row"], "", self._pointed)
            self._pointed = ""
            if self._found.raised and match["raised"] and not self._found.raised[-1].frames:
                self._found.raised[-1].frames = self._frames
                self._frames = []
            return 1
        return 0

    def _add(self, filename: str, row: str | None, function: str | None, text: str) -> None:
        told = (function or "").strip()
        self._frames.append(Frame(filename.strip(), _row(row), told, text.strip()))

    def _below(self, index: int) -> tuple[str, int]:
        """The code under a frame of Python, and how many lines it takes with its carets."""
        if index >= len(self._lines):
            return "", 0
        line = self._lines[index]
        plain = not (_PYTHON.search(line) or _RAISED.match(line) or _HEADER.search(line))
        if not line.strip() or not plain or not line.startswith((" ", "\t")):
            return "", 0
        carets = index + 1 < len(self._lines) and _is_carets(self._lines[index + 1])
        return line.strip(), 2 if carets else 1

    def _arrow(self, index: int) -> tuple[str | None, str, int]:
        """The row and code that an arrow points at, and how many lines the excerpt takes."""
        for taken, line in enumerate(self._lines[index : index + 15], 1):
            arrow = _ARROW.match(line)
            if arrow is not None:
                return arrow["row"], arrow["text"], taken
            if _is_frame(line) or _RAISED.match(line):
                break
        return None, "", 0

    def _exception(self, index: int) -> int:
        line = self._lines[index]
        said = _PYTEST_SAID.match(line)
        match = _RAISED.match(said["text"] if said else line)
        if match is None or (said is None and line.startswith("    ") and self._frames):
            return 1
        lines = [match["text"] or ""]
        for further in self._lines[index + 1 : index + _LONGEST]:
            more = _PYTEST_SAID.match(further)
            if _ends_message(further) or (said is not None) is not (more is not None):
                break
            lines.append(more["text"] if more else further)
        if match["type"].endswith("Warning"):
            return 1
        frames = [] if self._forward else self._frames
        if self._forward:
            self._end()
        self._found.raised.append(Raised(match["type"], lines, frames, self._chained))
        self._frames, self._chained = [], False
        return len(lines)


def _row(text: str | None) -> int | None:
    return int(text) if text and len(text) < 9 else None


def _is_frame(line: str) -> bool:
    stripped = line.strip()
    return any(one.match(stripped) for one in (_CELL, _IPYTHON, _RICH)) or bool(
        _PYTHON.search(stripped)
    )


def _is_carets(line: str) -> bool:
    return "^" in line and _CARETS.match(line) is not None


def _ends_message(line: str) -> bool:
    """Whether something else than the message of an exception goes on here."""
    stops: Iterator[object] = (
        pattern.search(line) for pattern in (_HEADER, _CHAINED, _FORWARD, _PYTHON)
    )
    return any(stops) or _RAISED.match(line) is not None
