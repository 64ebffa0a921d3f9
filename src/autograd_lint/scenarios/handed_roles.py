"""The roles that names play in functions, and in the functions that these hand them to.

def fit(model, data, optimizer):
    for epoch in range(10):
        train(model, data, optimizer)   # runs backward and steps: so `fit` is given a model, too
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from autograd_lint.facts.body import Called, body, called_of, path_of
from autograd_lint.facts.roles import OF_MODULES, Roles, asked_for, roles_of
from autograd_lint.facts.signatures import arguments_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.imports import bound
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function

DEEP = 2  # calls from the function that is given the arguments
_USES = re.compile(r"\.(?:backward|step|eval)\(")
_Key = tuple[tuple[object, ...], frozenset[str]]


def roles_in(functions: tuple[Function, ...], names: frozenset[str]) -> Roles:
    """The roles that names play in functions of one file, found once."""
    found = _found(functions[0].source)
    nodes = tuple(function.node for function in functions)
    if (nodes, names) not in found:
        text = "".join(function.source.segment(function.node) for function in functions)
        found[nodes, names] = roles_of(nodes, set(names)) if _USES.search(text) else Roles()
    return found[nodes, names]


@query
def _found(source: Source) -> dict[_Key, Roles]:
    return {}


def roles_beyond(
    interp: Interpreter, functions: tuple[Function, ...], names: frozenset[str], deep: int = DEEP
) -> Roles:
    """The same, and the roles that names play in the functions they are handed to."""
    own = roles_in(functions, names)
    if not deep:
        return own
    others = (_handed(interp, one, names, deep - 1) for one in functions)
    found = _joined([own, *(roles for found in others for roles in found)])
    if found.optimizer is None or found.modules or found.lists:
        return found
    return replace(found, modules=_models(interp, functions, names - {found.optimizer}))


def _models(
    interp: Interpreter, functions: tuple[Function, ...], names: frozenset[str]
) -> frozenset[str]:
    """What only functions call that others hand it to, which step an optimizer themselves.

    loss = compute_loss(model, batch)     # calls `model`
    loss.backward()
    optimizer.step()
    """
    called = frozenset().union(*(_called(interp, one, names, DEEP) for one in functions))
    own = {name for name in called if any(_is_module(name, one) for one in functions)}
    return frozenset(own) or (called if len(called) == 1 else frozenset())


def _called(
    interp: Interpreter, function: Function, names: frozenset[str], deep: int
) -> frozenset[str]:
    """The names that are called by the functions which a function hands them to."""
    found: set[str] = set()
    plain = names - asked_for(function.node)
    for call, given in _given(function.node) if deep else ():
        if plain.isdisjoint(given):
            continue
        callee = _callee(interp, function, call)
        named = _named(callee, call, plain) if callee is not None else {}
        if callee is not None and named:
            beyond = _called(interp, callee, frozenset(named), deep - 1)
            tested = asked_for(callee.node)
            own = {one for one in named if "" in called_of(one, callee.node) and one not in tested}
            found |= {named[one] for one in own | beyond}
    return frozenset(found)


def _is_module(name: str, function: Function) -> bool:
    """Whether a function calls a method of a name that modules have."""
    return not OF_MODULES.isdisjoint(called_of(name, function.node))


def _handed(
    interp: Interpreter, function: Function, names: frozenset[str], deep: int
) -> Iterator[Roles]:
    """The roles that names play in each function that one calls with them."""
    plain = names - asked_for(function.node)
    for call, given in _given(function.node):
        if plain.isdisjoint(given):
            continue
        callee = _callee(interp, function, call)
        named = _named(callee, call, plain) if callee is not None else {}
        if callee is not None and named:
            roles = roles_beyond(interp, (callee,), frozenset(named), deep)
            yield _renamed(roles, named)


@query
def _given(node: ast.AST) -> tuple[tuple[Called, frozenset[str]], ...]:
    """The calls in a function that are given arguments, each with the names among these."""
    calls = ((one, frozenset(map(path_of, one.given))) for one in body(node).calls)
    return tuple((one, names) for one, names in calls if names)


def _callee(interp: Interpreter, function: Function, call: Called) -> Function | None:
    """The function of the program that is called by its name, or as a method of the same object."""
    if call.owner == "self" and function.owner is not None:
        found = function.owner.find(call.method)
        return found.written if isinstance(found, Function) else None
    value = None if call.owner else bound(interp, function.scope, call.method)
    return value.written if isinstance(value, Function) and value is not function else None


def _named(callee: Function, call: Called, names: frozenset[str]) -> dict[str, str]:
    """The parameters that are given one of the names, each with it."""
    given = arguments_of(call.node, callee.node, bound=bool(call.owner))
    paths = {parameter: path_of(value) for parameter, value in given.items()}
    return {parameter: path for parameter, path in paths.items() if path in names}


def _renamed(roles: Roles, named: dict[str, str]) -> Roles:
    """Roles of parameters as those of what they are given."""
    return Roles(
        modules=frozenset(named[name] for name in roles.modules),
        lists=frozenset(named[name] for name in roles.lists),
        scalers=frozenset(named[name] for name in roles.scalers),
        optimizer=named[roles.optimizer] if roles.optimizer is not None else None,
        pairs=frozenset((named[one], named[other]) for one, other in roles.pairs),
    )


def _joined(found: Iterable[Roles]) -> Roles:
    """All roles together: what is a list somewhere is one, and of several optimizers none is the
    one."""
    found = list(found)
    lists = frozenset().union(*(one.lists for one in found))
    optimizers = {one.optimizer for one in found if one.optimizer is not None}
    return Roles(
        modules=frozenset().union(*(one.modules for one in found)) - lists - optimizers,
        lists=lists,
        scalers=frozenset().union(*(one.scalers for one in found)),
        optimizer=optimizers.pop() if len(optimizers) == 1 else None,
        pairs=next((one.pairs for one in found if one.pairs), frozenset()),
    )
