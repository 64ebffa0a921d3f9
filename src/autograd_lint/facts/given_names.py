"""The names that the functions of a file give for the parameters of its classes.

class Net(nn.Module):
    def __init__(self, block, depth): ...

def net18():
    return Net(Block, 18)       # `block` is given `Block`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograd_lint.facts.body import body, method_of, parameters_of, path_of
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.constant_arguments import argument_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

Given = Mapping[str, tuple[str, ...]]

_DEPTH = 3  # functions by which a name is handed on


@dataclass(frozen=True, slots=True)
class _Call:
    """A call by a plain name, and the function of the file that it stands in, if any."""

    node: ast.Call
    around: ast.FunctionDef | None


@query
def names_given(source: Source) -> dict[str, Given]:
    """The names, or chains of attributes, that each class is given for the parameters of its own
    constructor, by those."""
    calls = _calls(source)
    made = {
        cls.name: start
        for cls in source.tree.body
        if isinstance(cls, ast.ClassDef) and cls.name in calls
        if (start := method_of(cls, "__init__")) is not None
    }
    return {name: _of(name, start, calls) for name, start in made.items()}


def _of(name: str, start: Definition, calls: Mapping[str, list[_Call]]) -> Given:
    pairs = (
        (one, tuple(dict.fromkeys(_names(name, start, one, calls, _DEPTH))))
        for one in parameters_of(start)[1:]
    )
    return {one: names for one, names in pairs if names}


def _names(
    owner: str,
    function: Definition,
    parameter: str,
    calls: Mapping[str, list[_Call]],
    depth: int,
) -> Iterator[str]:
    """The names that calls of an owner give for a parameter of its function."""
    for call in calls.get(owner, ()) if depth else ():
        bound = function.name == "__init__"
        value = argument_of(call.node, function, parameter, bound=bound)
        path = path_of(value) if value is not None else ""
        around, root = call.around, path.partition(".")[0]
        if around is None or root not in _local(around):
            yield from [path] if path else []
        elif path in parameters_of(around):
            yield from _names(around.name, around, path, calls, depth - 1)


def _local(function: ast.FunctionDef) -> set[str]:
    """The names that a function binds."""
    stored = (one.id for one in body(function).stores if isinstance(one, ast.Name))
    return {*parameters_of(function), *stored}


def _calls(source: Source) -> dict[str, list[_Call]]:
    """The calls by plain names outside of classes."""
    found: dict[str, list[_Call]] = {}
    for top in source.tree.body:
        around = top if isinstance(top, ast.FunctionDef) else None
        for call in body(top).calls if not isinstance(top, ast.ClassDef) else ():
            if isinstance(call.node.func, ast.Name):
                found.setdefault(call.path, []).append(_Call(call.node, around))
    return found
