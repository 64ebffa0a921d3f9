"""A notebook to edit: the text of its cells changes, every other byte of the file stays."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograd_lint.findings import Edit
from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place
from autograd_lint.project import notebooks

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
# A character of a JSON string; two escaped halves are one.
_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u....|\\u....|\\.|.")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_Span = tuple[int, int]


@dataclass(frozen=True)
class Cells:
    """The text of a notebook's file, and where in it the source of each code cell stands."""

    filename: str
    text: str
    sources: dict[str, _Span]

    @classmethod
    def of(cls, data: bytes, filename: str) -> "Cells":
        """The notebook in the bytes of a file; raises as `project.notebooks.read` does."""
        read = notebooks.read(data, filename)
        wanted = {number: read.name(number) for number, _ in read.cells}
        text = data.decode("utf-8")
        spans = enumerate(_sources(text), 1)
        return cls(filename, text, {wanted[n]: span for n, span in spans if n in wanted and span})

    def encoded(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode("utf-8")

    def python(self) -> str:
        """The program in its cells."""
        return notebooks.read(self.encoded(), self.filename).text

    def lines(self, name: str) -> list[str]:
        """The lines of a cell."""
        return self._cell(name).lines(name)

    def edited(self, edits: Iterable[Edit]) -> "Cells":
        """The notebook after edits that do not overlap; a cell without edits is not touched."""
        grouped = defaultdict(list)
        for edit in edits:
            grouped[edit.place.filename].append(edit)
        text = self.text
        for name in sorted(grouped, key=lambda name: self.sources[name], reverse=True):
            start, end = self.sources[name]
            changed = self._cell(name).edited(grouped[name]).text
            text = text[:start] + _like(self.text[start:end], changed) + text[end:]
        return Cells.of(text.encode("utf-8"), self.filename)

    def overlap(self, one: Sequence[Edit], other: Sequence[Edit]) -> bool:
        """Whether edits of `one` touch text that edits of `other` touch."""
        return any(
            self._cell(edit.place.filename).overlap([edit], [their])
            for edit in one
            for their in other
            if edit.place.filename == their.place.filename
        )

    def moved(self, place: Place, edits: Iterable[Edit]) -> Place:
        """Where a place in a cell is after the edits."""
        inside = [edit for edit in edits if edit.place.filename == place.filename]
        return self._cell(place.filename).moved(place, inside)

    def in_file(self, place: Place) -> Place:
        """Where a place in a cell stands in the file itself."""
        start, end = self.sources[place.filename]
        file = Document(self.text)
        offsets = list(_offsets(self.text, start, end))
        cell = self._cell(place.filename)
        first = min(cell.offset(place.row, place.column), len(offsets) - 1)
        last = min(cell.offset(place.end_row, place.end_column), len(offsets) - 1)
        ends = (*file.position(offsets[first]), *file.position(offsets[last]))
        return Place(self.filename, *ends)

    def _cell(self, name: str) -> Document:
        start, end = self.sources[name]
        return Document(notebooks.joined(json.loads(self.text[start:end])))


def _offsets(text: str, start: int, end: int) -> Iterator[int]:
    """Where in the file each character of a cell's source stands, and the end of the last."""
    spans = _elements(text, start) if text[start] == "[" else [(start, end)]
    last = start
    for first, last in spans:
        for match in _CHARACTER.finditer(text, first + 1, last - 1):
            yield match.start()
    yield last - 1


def _like(old: str, changed: str) -> str:
    """`changed` as JSON in the form of `old`: one string, or a list of lines laid out like it.

    Lines that are as they were keep their bytes.
    """
    if not old.startswith("["):
        return _string(changed, old)
    spans = list(_elements(old, 0))
    known = {json.loads(old[start:end]): old[start:end] for start, end in spans}
    lines = [known.get(line) or _string(line, old) for line in _LINE.findall(changed)]
    if not spans or not lines:
        return json.dumps(lines)
    opening, closing = old[: spans[0][0]], old[spans[-1][1] :]
    comma = old[spans[0][1] : spans[1][0]] if len(spans) > 1 else "," + opening[1:]
    return opening + comma.join(lines) + closing


def _string(text: str, like: str) -> str:
    """A JSON string; other than ASCII is escaped where the notebook does so."""
    return json.dumps(text, ensure_ascii="\\u" in like and like.isascii())


def _sources(text: str) -> Iterator[_Span | None]:
    """Where the source of each cell stands, of all kinds of cells; None for a cell without."""
    cells = dict(_members(text, _skip(text, 0))).get("cells")
    for start, _ in _elements(text, cells[0]) if cells else ():
        yield dict(_members(text, start)).get("source") if text[start] == "{" else None


def _members(text: str, start: int) -> Iterator[tuple[str, _Span]]:
    """The names and values of the object that begins at an offset."""
    at = _skip(text, start + 1)
    while text[at] == '"':
        name, at = _DECODER.raw_decode(text, at)
        begin = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, begin)
        yield name, (begin, end)
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def _elements(text: str, start: int) -> Iterator[_Span]:
    """The values of the array that begins at an offset."""
    at = _skip(text, start + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
