"""Optimizers that code makes which is not seen: by what is done with them, and what it was given.

optimizer = build_optimizer(config, model)
for x, y in loader:
    optimizer.zero_grad()
    loss(model(x), y).backward()
    optimizer.step()              # with the parameters of `model`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.body import body, path_of
from autograd_lint.facts.roles import Roles, roles_of
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN
from autograd_lint.libraries.torch.training.optimizers import unseen_optimizer
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.scenarios.handed_roles import roles_in
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Instance, Items, Unknown, Value


def optimizer_made(interp: Interpreter, call: Call) -> Instance | None:
    """The optimizer that a call of unseen code has made, by what the code does with it that made
    the call: it is stepped and cleared, and the call was given a module. None of other calls."""
    if not interp.query(interp.source, _clears):
        return None
    name = _name_of_result(interp, call.node)
    if not name or f"{name.rpartition('.')[2]}.zero_grad(" not in interp.source.text:
        return None
    given = _named(call)
    roles = _roles(interp, frozenset({name, *given}))
    if roles.optimizer != name:
        return None
    for path in roles.modules & given.keys():
        value = given[path]
        if isinstance(value, Unknown):
            value.attributes[GIVEN] = True
    parameters = [one for value in given.values() for one in _parameters(value)]
    return unseen_optimizer(interp, name, parameters, call.node) if parameters else None


@query
def _clears(source: Source) -> bool:
    """Whether a file clears the gradients of anything."""
    return ".zero_grad(" in source.text


def _name_of_result(interp: Interpreter, node: ast.AST) -> str:
    """What the running code calls the result of a call; empty where it gives it no name."""
    function = interp.frame.function
    scope = function.node if function is not None else interp.source.tree
    return _names(scope).get(node, "")


@query
def _names(scope: ast.AST) -> dict[ast.AST, str]:
    """The names of the results of calls."""
    named = (one for one in body(scope).assigned() if one.is_whole and one.position is None)
    return {one.value: one.path for one in named if isinstance(one.value, ast.Call)}


def _named(call: Call) -> dict[str, Value]:
    """The arguments of a call that may be modules, or hold parameters, by how it spells them."""
    node = call.node
    if not isinstance(node, ast.Call):
        return {}
    pairs = [*zip(node.args, call.args, strict=False)]
    keywords = {one.arg: one.value for one in node.keywords if one.arg}
    pairs += [(keywords[key], value) for key, value in call.keywords.items() if key in keywords]
    return {path_of(code) or ast.dump(code): value for code, value in pairs if _may_hold(value)}


def _may_hold(value: Value) -> bool:
    if isinstance(value, Unknown):
        return value.hint in ("", "module")
    return isinstance(value, Items) or is_module(value)


def _roles(interp: Interpreter, names: frozenset[str]) -> Roles:
    """The roles that names play in the function that runs, or in the methods of its class."""
    function = interp.frame.function
    if function is None:
        return roles_of([interp.source.tree], set(names))
    own = [function, *(function.owner.attributes.values() if function.owner is not None else ())]
    functions = {one.written.node: one.written for one in own if isinstance(one, Function)}
    return roles_in(tuple(functions.values()), names)


def _parameters(value: Value) -> Iterator[Tensor]:
    """The parameters that require grad of a module, or in a list."""
    known = tensors_in(value) if isinstance(value, Items) else own_parameters(value)
    return (one for one in known if one.parameter and one.requires is not None)
