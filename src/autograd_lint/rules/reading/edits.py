"""Edits of what was read: one more argument, a method before a method, another statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from autograd_lint.findings import Edit
from autograd_lint.places import Place

if TYPE_CHECKING:
    from autograd_lint.rules.reading.chunk import Chunk


def add_keyword(chunk: Chunk, place: Place, keyword: str, value: str) -> Edit | None:
    """Give the call at `place` one more argument; None where it has it, or there is no call."""
    call = chunk.node_at(place)
    if not isinstance(call, cst.Call):
        return None
    names = [argument.keyword.value for argument in call.args if argument.keyword]
    if keyword in names or any(argument.star for argument in call.args):
        return None
    text = f"{keyword}={value}"
    if not call.args:
        return Edit(text, _before_end(chunk.place_of(call)))
    return Edit(f", {text}", _after(chunk.place_of(call.args[-1])))


def call_first(chunk: Chunk, place: Place, method: str, first: str) -> Edit | None:
    """`x.first().method()` for `x.method()` at `place`; None where there is no such call."""
    call = chunk.node_at(place)
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    if call.func.attr.value != method:
        return None
    name = chunk.place_of(call.func.attr)
    return Edit(f"{first}().", _before(name))


def _before(place: Place) -> Place:
    return Place(place.filename, place.row, place.column, place.row, place.column)


def _before_end(place: Place) -> Place:
    """The empty range before the last character (a closing parenthesis)."""
    row, column = place.end_row, place.end_column - 1
    return Place(place.filename, row, column, row, column)


def _after(place: Place) -> Place:
    row, column = place.end_row, place.end_column
    return Place(place.filename, row, column, row, column)
