"""A second name for the module that is trained on, where a copy of its best state is meant.

for epoch in range(epochs):
    train(model, loader)              # goes on moving `best` as well
    if evaluate(model) > score:
        best = model
return best                           # the last one, whichever was the best

Source: https://docs.python.org/3/library/copy.html: assignment statements do not copy objects
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.checkers.surroundings import Loop
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import KEPT_MODEL, Pitfall
from autograd_lint.facts.body import Bound, body, path_of
from autograd_lint.facts.effects import trains_in
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_OF_MODULES = frozenset({"parameters", "named_parameters", "state_dict", "train", "eval"})
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "finalbody")
_ENDS = (ast.Break, ast.Return, ast.Raise)


def judge(source: Source) -> Iterator[Fault]:
    """In each function, and outside of them."""
    for scope in (source.tree, *source.each(ast.FunctionDef)):
        for loop in _loops(scope):
            for bound in _kept(loop):
                name = path_of(bound.value)
                if not _is_module(source, name) or _may_be_another(source, loop, name):
                    continue
                if _is_read(source, scope, loop, bound.path) and _trains(source, loop, name):
                    yield Fault(
                        Pitfall.OWN_STATE,
                        source.place(bound.statement),
                        tensor=bound.path,
                        operator=name,
                        detail=KEPT_MODEL,
                    )


def _is_module(source: Source, name: str) -> bool:
    """Whether a file asks a name for what modules alone have."""
    calls = body(source.tree).calls
    return any(one.owner == name and one.method in _OF_MODULES for one in calls)


def _loops(scope: ast.AST) -> Iterator[Loop]:
    """The loops of a function, or of a module outside of all functions and classes."""
    stack = _below(scope)
    while stack:
        one = stack.pop()
        if isinstance(one, Loop):
            yield one
        if not isinstance(one, _SCOPES):
            stack += _below(one)


def _below(node: ast.AST) -> list[ast.stmt]:
    """The statements that stand directly in another one, or in a module."""
    return [part for name in _BLOCKS for part in getattr(node, name, ())]


def _kept(loop: Loop) -> Iterator[Bound]:
    """What only some rounds of a loop give another name: those in which a number is the best."""
    for branch in (one for one in walk(loop) if isinstance(one, ast.If) and _compares(one.test)):
        inside = ast.Module(branch.body, [])
        if not any(isinstance(one, _ENDS) for one in walk(inside)):
            for bound in body(inside).assigned():
                if bound.path != path_of(bound.value) != "":
                    yield bound


def _compares(test: ast.expr) -> bool:
    """Whether a condition compares two numbers."""
    compared = (one for one in walk(test) if isinstance(one, ast.Compare))
    return any(isinstance(one.ops[0], _ORDERS) for one in compared)


def _may_be_another(source: Source, loop: Loop, name: str) -> bool:
    """Whether each round may have another module: it is bound in the loop, or an attribute that
    is set in several places."""
    if "." in name:
        bindings = body(source.tree).bindings
        return len({id(one.statement) for one in bindings if one.path == name}) > 1
    return any(one.path == name for one in body(loop).bindings)


def _is_read(source: Source, scope: ast.AST, loop: Loop, name: str) -> bool:
    """Whether a name is read behind a loop, or an attribute anywhere outside of it."""
    inside, attribute = {id(one) for one in walk(loop)}, name.rpartition(".")[2]
    for one in walk(source.tree if "." in name else scope):
        named = isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load)
        if named and id(one) not in inside:
            own = isinstance(one, ast.Attribute) and "." in name and one.attr == attribute
            if own or path_of(one) == name:
                return True
    return False


def _trains(source: Source, loop: Loop, name: str) -> bool:
    """Whether a loop trains a module: by itself, or by a function of the file that is given it, or
    by a method of the object that holds it."""
    if trains_in(source, loop):
        return True
    functions = {one.name: one for one in source.each(ast.FunctionDef)}
    for call in body(loop).calls:
        function = functions.get(call.method)
        given = call.owner == "self" or any(path_of(one) == name for one in call.given)
        if function is not None and given and trains_in(source, function):
            return True
    return False
