"""The frames of a traceback, which may come from another machine, as rows of files at hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath

from autograd_lint.diagnosis.evidence import Frame
from autograd_lint.immutable import immutable
from autograd_lint.project import cells

Lines = Callable[[str], Sequence[str]]

_INSTALLED = re.compile(
    r"(?:^|[/\\])(?:site-packages|dist-packages)[/\\]|^<(?!ipython)|[/\\]lib[/\\]python3"
    r"|[/\\]Python3\d+[/\\]Lib[/\\]"  # Windows
    r"|[/\\]autograd_lint[/\\]live[/\\]"  # the tracer, through which calls of backward go
)
_CELL = re.compile(r"^(?:Cell In|Input In|In\b|<ipython-input)|[/\\]ipykernel_\d+[/\\]")
_NUMBER = re.compile(r"\d+")
_NEAR = 200  # rows by which a file may have changed since


@immutable
class Step:
    """A frame of the program itself: its file and row at hand, and the function."""

    filename: str
    row: int
    function: str = ""


def is_own(frame: Frame) -> bool:
    """Whether a frame may be one of the program, and not of an installed package."""
    return not _INSTALLED.search(frame.filename)


class Files:
    """The files at hand, and how frames are found among them."""

    def __init__(self, files: Iterable[Path], lines: Lines) -> None:
        """`lines` gives the lines of a file or of a notebook's cell."""
        self._lines = lines
        self._by_name: dict[str, list[str]] = {}
        self._notebooks: list[str] = []
        for path in files:
            if cells.is_notebook(path.name):
                self._notebooks.append(str(path))
            else:
                self._by_name.setdefault(path.name.lower(), []).append(str(path))

    def steps(
        self, frames: Iterable[Frame], cells_of: Callable[[str], Sequence[str]]
    ) -> list[Step]:
        """The frames that are found, in their order; `cells_of` names the cells of a notebook."""
        found = (self._step(frame, cells_of) for frame in frames if is_own(frame))
        return [step for step in found if step is not None]

    def _step(self, frame: Frame, cells_of: Callable[[str], Sequence[str]]) -> Step | None:
        if _CELL.match(frame.filename):
            names = [name for notebook in self._notebooks for name in cells_of(notebook)]
            return self._in_cell(frame, names)
        parts = _parts(frame.filename)
        known = self._by_name.get(parts[-1].lower(), []) if parts else []
        placed = [(self._row(frame, name), name) for name in known]
        ranked = [
            (_common(parts, _parts(name)), bool(frame.text and row), row, name)
            for row, name in placed
            if row
        ]
        if not ranked:
            return None
        _, _, row, name = max(ranked, key=lambda one: (one[1], one[0], -len(one[3])))
        return Step(name, row, frame.function)

    def _in_cell(self, frame: Frame, names: Sequence[str]) -> Step | None:
        """The cell whose row has the code of a frame; its number counts runs, not cells."""
        for name in names:
            row = self._row(frame, name)
            if frame.text and row:
                return Step(name, row, frame.function)
        return None

    def _row(self, frame: Frame, name: str) -> int:
        """The row of a file that a frame speaks of; 0 where it has none like it."""
        lines = self._lines(name)
        if not frame.text:
            return frame.row if frame.row and frame.row <= len(lines) else 0
        wanted = _squeezed(frame.text)
        same = [row for row, line in enumerate(lines, 1) if _squeezed(line) == wanted]
        if not same:  # a statement over several lines, of which another is shown
            same = [row for row, line in enumerate(lines, 1) if wanted in _squeezed(line)]
        at = frame.row
        if at is None:
            return same[0] if same else 0
        if at in same:
            return at
        near = [row for row in same if abs(row - at) <= _NEAR]
        return min(near, key=lambda row: abs(row - at), default=0)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _parts(filename: str) -> tuple[str, ...]:
    return PurePosixPath(filename.replace("\\", "/")).parts


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts of two paths are the same, counted from their ends."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left.lower() != right.lower():
            break
        count += 1
    return count
