"""Running sums that other files add up, as the file that is analysed speaks of them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from autograd_lint.interpreter.machine import Frame, Interpreter
from autograd_lint.interpreter.python.code import code_of
from autograd_lint.interpreter.runs.gate import trains_in
from autograd_lint.interpreter.values import Value
from autograd_lint.interpreter.watching.around import Loop, enclosing
from autograd_lint.places import Place
from autograd_lint.project.source import Source


@dataclass(frozen=True)
class Told:
    """Where to tell of a sum, and its name there; None where it has none."""

    name: str | None
    place: Place


def told_by_caller(interp: Interpreter, target: ast.expr) -> Told | None:
    """The call in the analysed file by which code of another file adds to `target`.

    None where a file in between trains in a loop: that one is told of it.
    """
    name, root = interp.text(target), _root(target)
    owner = interp.frame.scope.names.get(root)
    lost = False
    for caller, frame in zip(interp.frames[-2::-1], interp.frames[:0:-1], strict=False):
        if frame.inner:
            continue
        given = None if lost else _given(frame, owner)
        lost = given is None
        if given is not None:
            name, root = code_of(given) + name.removeprefix(root), _root(given)
            owner = caller.scope.names.get(root)
        node = frame.call.node if frame.call is not None else None
        if caller.source is interp.world.source and isinstance(node, ast.Call):
            return Told(None if lost else name, caller.source.place(node))
        if _adds_up(caller.source, node, lost):
            return None
    return None


def _root(node: ast.expr) -> str:
    """The name that an expression starts with."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


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


def _adds_up(source: Source, node: ast.AST | None, lost: bool) -> bool:
    """Whether a call of a file is made anew in each round of a loop that trains, or of any loop
    outside of which the sum is not known."""
    row = getattr(node, "lineno", None)
    around = enclosing(source, row) if row is not None else []
    loops = [one for one in around if isinstance(one, Loop)]
    return any(lost or trains_in(source, loop) for loop in loops)
