"""Notebooks: their code cells as one source, and places in it as places in cells."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from autograd_lint.findings import Finding, Fix
from autograd_lint.levels import Certainty
from autograd_lint.places import Place
from autograd_lint.project import reading
from autograd_lint.project.cell_text import Python, Row, python_of
from autograd_lint.project.cells import MARK, cell_of

_OLD_PYTHON = "in call to 'print'"  # what the parser says of a statement of Python 2
_SLIPS = 2  # cells of a notebook that are broken by mistake


@dataclass(frozen=True)
class Notebook:
    """The code cells of a notebook: their numbers and texts."""

    filename: str
    cells: tuple[tuple[int, str], ...]

    @property
    def text(self) -> str:
        """The Python of all code cells, one after the other; that of a cell which cannot be parsed
        is left out."""
        return "".join(one.text + "\n" for one in self._pythons)

    @property
    def broken(self) -> Iterator[Finding]:
        """The findings about cells that cannot be parsed; several that are none of Python 2 are
        rather commands, outputs and remarks that are shown as code."""
        found = [
            replace(reading.parse_error(self.name(number), python.error), cell=number)
            for (number, _), python in zip(self.cells, self._pythons, strict=True)
            if python.error is not None
        ]
        shown = sum(_OLD_PYTHON not in one.message for one in found) > _SLIPS
        for one in found:
            rather = shown and _OLD_PYTHON not in one.message
            yield replace(one, certainty=Certainty.POSSIBLE, probability=0.5) if rather else one

    @property
    def ends(self) -> frozenset[int]:
        """The rows of that text on which the cells' last lines of code stand."""
        found = set()
        for start, python in zip(self._starts, self._pythons, strict=True):
            lines = enumerate(python.rows, start)
            code = [row for row, line in lines if _is_code(line.text)]
            found.update(code[-1:])
        return frozenset(found)

    def moved(self, finding: Finding) -> Finding:
        """A finding in the text of all cells as one in its cell."""
        related = tuple(replace(one, place=self._placed(one.place)) for one in finding.related)
        place = self._placed(finding.place)
        predicts = finding.predicts
        if predicts and predicts.filename == self.filename and predicts.row:
            number, row = self._cell(predicts.row)
            predicts = replace(predicts, filename=self.name(number), row=row)
        row = finding.noqa_row - finding.place.row + place.row
        return replace(
            finding,
            place=place,
            cell=cell_of(place.filename),
            related=related,
            predicts=predicts,
            noqa_row=row,
            fix=self._fix(finding.fix) if finding.fix else None,
        )

    def _fix(self, fix: Fix) -> Fix | None:
        """A fix in its cells; None where rows that it adds would lack what stands before others."""
        for edit in fix.edits:
            rows = range(edit.place.row, edit.place.end_row + 1)
            if "\n" in edit.content and any(map(self._before, rows)):
                return None
        edits = (replace(edit, place=self._placed(edit.place)) for edit in fix.edits)
        return replace(fix, edits=tuple(edits))

    def _placed(self, place: Place) -> Place:
        if place.filename != self.filename:
            return place
        number, row = self._cell(place.row)
        last = row + place.end_row - place.row
        start = place.column + self._before(place.row)
        end = place.end_column + self._before(place.end_row)
        return Place(self.name(number), row, start, last, end)

    def _before(self, row: int) -> int:
        """How many characters of a cell's row stand before the Python in it."""
        return self._rows[row - 1].before if row <= len(self._rows) else 0

    def name(self, number: int) -> str:
        """What a cell is called."""
        return f"{self.filename}{MARK}{number}"

    def _cell(self, row: int) -> tuple[int, int]:
        index = max(bisect_right(self._starts, row) - 1, 0)
        return self.cells[index][0], row - self._starts[index] + 1

    @cached_property
    def _pythons(self) -> list[Python]:
        return [python_of(text) for _, text in self.cells]

    @cached_property
    def _rows(self) -> list[Row]:
        return [row for python in self._pythons for row in python.rows]

    @cached_property
    def _starts(self) -> list[int]:
        starts, row = [], 1
        for _, text in self.cells:
            starts.append(row)
            row += text.count("\n") + 1
        return starts


def of_cells(filename: str, cells: Iterable[tuple[int, str]]) -> Notebook:
    """The notebook of some code cells, each with its number among all cells and its text."""
    texts = ((number, text.replace("\r\n", "\n")) for number, text in cells)
    return Notebook(filename, tuple(texts))


def read(data: bytes, filename: str) -> Notebook:
    """The notebook in the bytes of a file; raises ValueError for what is none.

    A notebook of another language has no cells here.
    """
    document = json.loads(data.decode("utf-8"))
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise ValueError("it has no cells: is it a notebook of format 4?")
    if _language(document) != "python":
        return Notebook(filename, ())
    return of_cells(filename, _code_cells(document["cells"]))


def _language(document: dict[str, Any]) -> str:
    metadata = document.get("metadata")
    described = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = described.get("name", "python") if isinstance(described, dict) else "python"
    return str(name).lower()


def _code_cells(cells: list[Any]) -> Iterator[tuple[int, str]]:
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        yield number, joined(source)


def joined(source: object) -> str:
    """The text of a cell's source, a string or a list of lines; empty for anything else."""
    if isinstance(source, list):
        return "".join(map(str, source))
    return source if isinstance(source, str) else ""


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")
