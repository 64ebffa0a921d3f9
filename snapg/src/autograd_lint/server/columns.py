"""Places as the editor counts them: from 0, and columns in the units that it asked for."""

from collections.abc import Sequence

from lsprotocol import types
from pygls.workspace import PositionCodec

from autograd_lint.places import Place


def range_of(place: Place, lines: Sequence[str], codec: PositionCodec) -> types.Range:
    """The range of `place` in a text of `lines`."""
    return types.Range(
        position(place.row, place.column, lines, codec),
        position(place.end_row, place.end_column, lines, codec),
    )


def position(row: int, column: int, lines: Sequence[str], codec: PositionCodec) -> types.Position:
    """Where a row and column, counted from 1 in characters, are for the editor."""
    if row > len(lines) > 0:
        row, column = len(lines), len(lines[-1]) + 1
    if not lines:
        return types.Position(row - 1, column - 1)
    return types.Position(row - 1, codec.client_num_units(lines[row - 1][: column - 1]))


def touches(one: types.Range, other: types.Range) -> bool:
    """Whether two ranges share a position, their ends included."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
