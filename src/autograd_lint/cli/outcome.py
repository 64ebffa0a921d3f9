"""What a run found, and the texts that it speaks of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint import disk
from autograd_lint.project.cells import cell_of, file_of

if TYPE_CHECKING:  # A run that finds nothing imports no findings.
    from autograd_lint.coverage import Coverage
    from autograd_lint.findings import Finding
    from autograd_lint.fixes.cells import Cells
    from autograd_lint.places import Place


class Texts:
    """The bytes and lines of the files that findings speak of; some are given, not on disk."""

    def __init__(self, given: dict[str, bytes]) -> None:
        self._given = given
        self._lines: dict[str, list[str]] = {}
        self._cells: dict[str, Cells] = {}

    def data(self, filename: str) -> bytes:
        """The bytes of a file; raises OSError where it cannot be read any more."""
        if filename in self._given:
            return self._given[filename]
        if not self.readable(filename):
            raise FileNotFoundError(filename)
        return disk.read(filename)

    def readable(self, filename: str) -> bool:
        """Whether a file can be read again: a pipe that was read has nothing left to say."""
        return filename in self._given or Path(filename).is_file()

    def given_texts(self) -> dict[str, str]:
        """The text of each source that is not on disk, as far as it can be decoded."""
        return {name: "\n".join(self.lines(name)) for name in self._given}

    def lines(self, filename: str) -> list[str]:
        """The lines of a file; empty where it cannot be read any more."""
        if filename not in self._lines:
            self._lines[filename] = self._read(filename)
        return self._lines[filename]

    def in_file(self, place: Place) -> Place:
        """A place in a notebook's cell as one in the notebook's file; any other as it is."""
        name = file_of(place.filename)
        if name == place.filename:
            return place
        from autograd_lint.fixes.cells import Cells

        if name not in self._cells:
            self._cells[name] = Cells.of(self.data(name), name)
        return self._cells[name].in_file(place)

    def _read(self, filename: str) -> list[str]:
        from autograd_lint.project import notebooks, reading

        try:
            data = self.data(file_of(filename))
        except OSError:
            return []
        try:
            cell = cell_of(filename)
            if cell is not None:
                cells = dict(notebooks.read(data, filename).cells)
                return cells.get(cell, "").split("\n")
            return reading.decode(data, filename).lines
        except reading.UNREADABLE:
            return data.decode("utf-8", "replace").splitlines()


@dataclass(frozen=True, repr=False, eq=False)
class Outcome:
    """What a run found, all files together, and whether anything went wrong on the way.

    `suppressed` findings were silenced by comments, `known` ones by the baseline, `refuted` ones by
    the real engine; `excluded` counts files and folders that `exclude` left out. `left_out` are the
    definitions, by file, that were not run as a budget was used up, `coverage` is what the runs
    reached, where that is wanted.
    """

    findings: list[Finding]
    files: frozenset[str]
    texts: Texts
    suppressed: int = 0
    troubled: bool = False
    excluded: int = 0
    known: int = 0
    refuted: int = 0
    left_out: dict[str, tuple[str, ...]] = field(default_factory=dict)
    coverage: dict[str, Coverage] = field(default_factory=dict)

    def by_file(self) -> dict[str, list[Finding]]:
        """The findings of each file that was checked itself and can be read again."""
        grouped: dict[str, list[Finding]] = {}
        for finding in self.findings:
            name = file_of(finding.place.filename)
            if name in self.files:
                grouped.setdefault(name, []).append(finding)
        return {name: found for name, found in grouped.items() if self.texts.readable(name)}
