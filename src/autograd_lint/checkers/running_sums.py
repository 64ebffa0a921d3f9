"""Running sums that objects of other files add up, as the code that gives them terms names them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from autograd_lint.places import Place
from autograd_lint.project.code import code_of, root_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.frames import Frame, called_at
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Mapping, Value


@dataclass(frozen=True)
class Told:
    """Where to tell of a sum, and its name there; None where it has none."""

    name: str | None
    place: Place


def is_local(interp: Interpreter, target: ast.expr) -> bool:
    """Whether the function that runs binds the name, or has made the container of the entry."""
    if not isinstance(target, ast.Subscript):
        return isinstance(target, ast.Name)
    call, container = interp.frame.call, target.value
    held = interp.frame.scope.names.get(container.id) if isinstance(container, ast.Name) else None
    given = [*call.args, *call.keywords.values()] if call is not None else []
    return isinstance(held, (Items, Mapping)) and not any(held is one for one in given)


def is_handed_back(interp: Interpreter, target: ast.expr) -> bool:
    """Whether the function that runs returns a target, or what it is an entry of, to callers which
    are not seen: these may run backward on it."""
    function = interp.frame.function
    if interp.whole or function is None:
        return False
    return root_of(target) in function.query(_returned)


@query
def _returned(_: Source, function: ast.AST) -> frozenset[str]:
    """The names that stand in what a function returns, each by itself."""
    results = (one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value)
    parts = (
        part for one in results for part in (one.elts if isinstance(one, ast.Tuple) else [one])
    )
    return frozenset(part.id for part in parts if isinstance(part, ast.Name))


def told_by_caller(interp: Interpreter, target: ast.expr) -> Told | None:
    """The innermost call in another file of the project by which code adds to `target`."""
    name, root = interp.text(target), root_of(target)
    owner = interp.frame.scope.names.get(root)
    lost = False
    for caller, frame in zip(interp.frames[-2::-1], interp.frames[:0:-1], strict=False):
        if frame.inner:
            continue
        given = None if lost else _given(frame, owner)
        lost = given is None
        if given is not None:
            name, root = code_of(given) + name.removeprefix(root), root_of(given)
            owner = caller.scope.names.get(root)
        place = called_at(caller, frame)
        if _is_outside(interp, caller) and place is not None:
            return Told(None if lost else name, place)
    return None


def called_in_step(interp: Interpreter) -> Place | None:
    """The call by which the code that ran the last backward has come to the function that runs: it
    gives a term of the sum in each step; None where that is the same function, or nobody's."""
    passes = interp.engine.backward.passes
    stepping = passes[-1].call.within if passes else ()
    for caller, frame in zip(interp.frames[-2::-1], interp.frames[:0:-1], strict=False):
        if frame.mark in stepping:
            return None
        if caller.mark in stepping:
            return called_at(caller, frame)
    return None


def _is_outside(interp: Interpreter, caller: Frame) -> bool:
    """Whether a caller stands in another file than the code that runs, which the project owns."""
    own = caller.source is interp.world.source
    owned = own or interp.world.project.owns(caller.source.filename)
    return owned and caller.source is not interp.source


def _given(frame: Frame, owner: Value) -> ast.expr | None:
    """The expression by which a function was given an object, or is its method."""
    call = frame.call
    if call is None or not isinstance(call.node, ast.Call) or owner is None:
        return None
    node = call.node
    if frame.receiver is owner and isinstance(node.func, ast.Attribute):
        return node.func.value
    if any(isinstance(one, ast.Starred) for one in node.args):
        return None
    named = [(call.keywords.get(one.arg or ""), one.value) for one in node.keywords]
    pairs = [*zip(call.args, node.args, strict=False), *named]
    return next((expression for value, expression in pairs if value is owner), None)
