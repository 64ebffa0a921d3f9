"""A file's text with its encoding and line ends, and edits of it that keep both."""

import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from autograd_lint.findings import Edit
from autograd_lint.places import Place

_LINE_END = re.compile("\r\n|\r|\n")


@dataclass(frozen=True)
class Document:
    """The text of a file as it stands on disk, line ends included."""

    text: str
    encoding: str = "utf-8"

    @classmethod
    def of(cls, data: bytes) -> "Document":
        """Decode the bytes of a file; raises as `project.reading.decode` does."""
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return cls(data.decode(encoding), encoding)

    def encoded(self) -> bytes:
        """The bytes of the file; raises UnicodeEncodeError for what its encoding cannot say."""
        return self.text.encode(self.encoding)

    def python(self) -> str:
        """The program in it."""
        return self.text

    def lines(self, name: str) -> list[str]:
        """Its lines; of a notebook those of the cell of this name."""
        return _LINE_END.split(self.text)

    def offset(self, row: int, column: int) -> int:
        """Where a row and column, counted from 1, stand in the text."""
        if row > len(self._starts):
            return len(self.text)
        return self._starts[row - 1] + column - 1

    def edited(self, edits: Iterable[Edit]) -> "Document":
        """The document after edits that do not overlap."""
        text = self.text
        for start, end, content in sorted(map(self._span, edits), reverse=True):
            text = text[:start] + content + text[end:]
        return Document(text, self.encoding)

    def overlap(self, one: Sequence[Edit], other: Sequence[Edit]) -> bool:
        """Whether edits of `one` touch text that edits of `other` touch."""
        theirs = [self._span(edit) for edit in other]
        return any(
            (start < their_end and their_start < end) or start == their_start
            for start, end, _ in map(self._span, one)
            for their_start, their_end, _ in theirs
        )

    def moved(self, place: Place, edits: Iterable[Edit]) -> Place:
        """Where a place is after the edits; what is edited begins where its edit does."""
        edits = list(edits)
        after = self.edited(edits)
        start = self._shifted(self.offset(place.row, place.column), edits)
        end = self._shifted(self.offset(place.end_row, place.end_column), edits)
        return Place(place.filename, *after.position(start), *after.position(max(start, end)))

    def position(self, offset: int) -> tuple[int, int]:
        """The row and column, counted from 1, of an offset in the text."""
        row = bisect_right(self._starts, offset)
        return row, offset - self._starts[row - 1] + 1

    def _shifted(self, offset: int, edits: Iterable[Edit]) -> int:
        shift = 0
        for start, end, content in map(self._span, edits):
            if end <= offset:
                shift += len(content) - (end - start)
            elif start < offset:
                shift += start - offset
        return offset + shift

    def _span(self, edit: Edit) -> tuple[int, int, str]:
        place = edit.place
        start = self.offset(place.row, place.column)
        end = self.offset(place.end_row, place.end_column)
        return start, end, _LINE_END.sub(self._newline, edit.content)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @cached_property
    def _newline(self) -> str:
        found = _LINE_END.search(self.text)
        return found[0] if found else "\n"
