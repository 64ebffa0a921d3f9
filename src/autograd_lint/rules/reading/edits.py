"""Edits of the expressions that were read: arguments, methods, parentheses.

Every function gives the edits, none where the code at the place is not what they are for.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

import libcst as cst

from autograd_lint.findings import Edit
from autograd_lint.places import Place
from autograd_lint.project.code import given_to
from autograd_lint.rules.reading import names

if TYPE_CHECKING:
    from autograd_lint.project.source import Source
    from autograd_lint.rules.reading.chunk import Chunk

Edits = tuple[Edit, ...]


def before(place: Place, text: str) -> Edit:
    """Put `text` before a place."""
    return Edit(text, Place(place.filename, place.row, place.column, place.row, place.column))


def after(place: Place, text: str) -> Edit:
    """Put `text` behind a place."""
    row, column = place.end_row, place.end_column
    return Edit(text, Place(place.filename, row, column, row, column))


def between(first: Place, last: Place, text: str = "") -> Edit:
    """Put `text` in place of all from the start of one place to the start of another."""
    return Edit(text, Place(first.filename, first.row, first.column, last.row, last.column))


def behind(first: Place, last: Place, text: str = "") -> Edit:
    """Put `text` in place of all from the end of one place to the end of another."""
    ends = (first.end_row, first.end_column, last.end_row, last.end_column)
    return Edit(text, Place(first.filename, *ends))


def all_of(*parts: Edits) -> Edits:
    """All edits together; none where a part of them is missing."""
    return tuple(edit for part in parts for edit in part) if all(parts) else ()


def set_keyword(chunk: Chunk, place: Place, keyword: str, value: str) -> Edits:
    """Give the call at `place` a keyword argument, or change the one it has."""
    call = chunk.node_at(place)
    if not isinstance(call, cst.Call) or any(argument.star for argument in call.args):
        return ()
    given = argument_of(call, keyword)
    if given is not None:
        if chunk.code(given.value) == value:
            return ()
        return (Edit(value, chunk.place_of(given.value)),)
    text = f"{keyword}={value}"
    if call.args:
        return (after(chunk.place_of(call.args[-1]), f", {text}"),)
    at = chunk.place_of(call)
    row, column = at.end_row, at.end_column - 1
    return (Edit(text, Place(at.filename, row, column, row, column)),)


def drop_argument(chunk: Chunk, call: cst.Call, argument: cst.Arg) -> Edits:
    """Take an argument out of a call, with the comma that becomes too much.

    The remarks of other arguments stay, and lines that it has for itself go.
    """
    index = next(index for index, one in enumerate(call.args) if one is argument)
    place = chunk.place_of(argument)
    whole = _with_comma(chunk, place, argument)
    lines = chunk.source.lines
    before, after = lines[whole.row - 1], lines[whole.end_row - 1]
    if not before[: whole.column - 1].strip() and not after[whole.end_column - 1 :].strip():
        return (Edit("", Place(whole.filename, whole.row, 1, whole.end_row + 1, 1)),)
    if index:
        previous = chunk.place_of(call.args[index - 1])
        remarked = any("#" in line for line in lines[previous.end_row - 1 : place.row - 1])
        return (Edit("", whole) if remarked else behind(previous, place),)
    if len(call.args) > 1:
        return (between(place, chunk.place_of(call.args[1])),)
    return (Edit("", whole),)


def _with_comma(chunk: Chunk, place: Place, argument: cst.Arg) -> Place:
    """The place of an argument and of the comma behind it, if there is one."""
    if not isinstance(argument.comma, cst.Comma):
        return place
    comma = chunk.place_of(argument.comma)
    return Place(place.filename, place.row, place.column, comma.end_row, comma.end_column)


def drop_keyword(chunk: Chunk, place: Place, keyword: str) -> Edits:
    """Take a keyword argument out of the call at `place`."""
    call = chunk.node_at(place)
    given = argument_of(call, keyword) if isinstance(call, cst.Call) else None
    return drop_argument(chunk, cst.ensure_type(call, cst.Call), given) if given else ()


def drop_inplace(chunk: Chunk, place: Place) -> Edits:
    """Let the layer that the call at `place` makes work out of place."""
    call = chunk.node_at(place)
    if not isinstance(call, cst.Call):
        return ()
    given = argument_of(call, "inplace")
    position = names.inplace_position(chunk.code(call.func))
    if given is None and position is not None and position < len(call.args):
        given = call.args[position]
        if position + 1 < len(call.args):
            return (Edit("False", chunk.place_of(given.value)),)
    return drop_argument(chunk, call, given) if given else ()


def argument_of(call: cst.Call, keyword: str) -> cst.Arg | None:
    """The argument that a call gives by this keyword."""
    named = (one for one in call.args if one.keyword and one.keyword.value == keyword)
    return next(named, None)


def call_first(chunk: Chunk, place: Place, method: str, first: str) -> Edits:
    """`x.first().method()` for `x.method()` at `place`."""
    call = chunk.node_at(place)
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return ()
    if call.func.attr.value != method:
        return ()
    return (before(chunk.place_of(call.func.attr), f"{first}()."),)


def method_of(chunk: Chunk, node: cst.CSTNode | None, method: str) -> Edits:
    """`x.method()` for an expression `x`, in parentheses where it needs them; none where it is
    already the result of that method."""
    if not isinstance(node, cst.BaseExpression) or _calls(node, method):
        return ()
    place = chunk.place_of(node)
    if node.lpar or isinstance(node, _BINDS):
        return (after(_with_parentheses(place, len(node.rpar)), f".{method}()"),)
    return before(place, "("), after(place, f").{method}()")


def _calls(node: cst.BaseExpression, method: str) -> bool:
    if not isinstance(node, cst.Call) or node.args or not isinstance(node.func, cst.Attribute):
        return False
    return node.func.attr.value == method


# What a method can be called on without parentheses.
_BINDS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict)


def _with_parentheses(place: Place, count: int) -> Place:
    """A place that ends behind its closing parentheses, where these follow at once."""
    return Place(place.filename, place.row, place.column, place.end_row, place.end_column + count)


def drop_method(chunk: Chunk, place: Place, names: tuple[str, ...]) -> Edits:
    """`x` for `x.name()` or `x.name` at `place`, where the name is one of `names`."""
    node = chunk.node_at(place)
    member = node.func if isinstance(node, cst.Call) and not node.args else node
    if not isinstance(member, cst.Attribute) or member.attr.value not in names:
        return ()
    rest = chunk.source.lines[place.end_row - 1][place.end_column - 1 :]
    if rest.startswith(_NEEDS_NO_GRAPH):
        return ()
    owner = _with_parentheses(chunk.place_of(member.value), len(member.value.rpar))
    return (behind(owner, place),)


def drop_methods(chunk: Chunk, place: Place, names: tuple[str, ...]) -> Edits:
    """`x.cpu()` for `x.detach().cpu().item()` at `place`, where both names are among `names`."""
    found, node = drop_method(chunk, place, names), chunk.node_at(place)
    while found:
        member = node.func if isinstance(node, cst.Call) else node
        if not isinstance(member, cst.Attribute):
            break
        node = member.value
        found = (*drop_method(chunk, chunk.place_of(node), names), *found)
    return found


def detached_arguments(source: Source, rows: range, name: str) -> Edits:
    """`name.detach()` wherever a call in these rows of a file is given just that name."""
    found = []
    for node in ast.walk(source.tree):
        values = given_to(node) if _is_call(node) else []
        found += [one for one in values if isinstance(one, ast.Name) and one.id == name]
    places = (source.place(one) for one in found if one.lineno in rows)
    return tuple(after(place, ".detach()") for place in sorted(set(places)))


def _is_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


# What only a tensor without a graph can be asked for.
_NEEDS_NO_GRAPH = (".numpy(", ".cpu().numpy(")
