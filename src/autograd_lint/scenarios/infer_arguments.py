"""Unknown arguments, made into what the code that is given them uses them as."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.body import Bound, body
from autograd_lint.facts.effects import trains_in
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.modules.opaque_methods import ITSELF
from autograd_lint.libraries.torch.modules.opaque_modules import BATCH
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN, opaque_parameter
from autograd_lint.libraries.torch.training.optimizers import given_optimizer
from autograd_lint.libraries.torch.training.scaler import make_scaler
from autograd_lint.project.query import query
from autograd_lint.scenarios.handed_roles import roles_beyond
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.stand_ins import stand_in
from autograd_lint.vm.values import Class, Function, Unknown


def infer_arguments(interp: Interpreter, call: Call, function: Function) -> None:
    """Make of the unknown arguments of a call what the function uses them as.

    What is handed to code that runs backward itself is a batch, if it has fields.
    """
    _play(interp, call, {name: name for name in call.keywords}, [function])
    if trains_in(function.source, function.node):
        for given in call.keywords.values():
            if isinstance(given, Unknown):
                given.attributes[BATCH] = True


def infer_attributes(interp: Interpreter, call: Call, cls: Class) -> None:
    """Make of what an object is given, and keeps, what the methods of its class use it as."""
    functions = [value.written for value in cls.attributes.values() if isinstance(value, Function)]
    initializer = cls.attributes.get("__init__")
    if isinstance(initializer, Function):
        named = _kept(initializer.written.node)
        _play(interp, call, named, functions)


@query
def _kept(initializer: ast.AST) -> dict[str, str]:
    """The attributes that hold an argument, each with the argument."""
    return {
        bound.path: given
        for bound in body(initializer).assigned()
        if bound.is_whole and bound.path.startswith("self.") and (given := _argument(bound))
    }


def _argument(bound: Bound) -> str:
    """The argument that is assigned, moved to a device or not; empty for other values."""
    value = bound.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value if value.func.attr in ITSELF else value
    return value.id if isinstance(value, ast.Name) and bound.position is None else ""


def _play(
    interp: Interpreter, call: Call, named: dict[str, str], functions: list[Function]
) -> None:
    """Give the arguments their roles; `named` leads from what the code calls them to them."""
    named = {name: given for name, given in named.items() if _is_open(call, given)}
    if not named or not functions:
        return
    roles = roles_beyond(interp, tuple(functions), frozenset(named))
    models = [_model(call, named[name]) for name in sorted(roles.modules)]
    for name in roles.scalers:
        call.keywords[named[name]] = make_scaler(Call([], {}, call.node))
    known = [tensor for model in models for tensor in _parameters(interp, model)]
    if roles.optimizer is not None and known:
        argument = named[roles.optimizer]
        call.keywords[argument] = given_optimizer(interp, argument, known, call.node)
    for optimizer, module in sorted(roles.pairs if roles.optimizer is None else ()):
        argument, own = named[optimizer], _parameters(interp, _model(call, named[module]))
        call.keywords[argument] = given_optimizer(interp, argument, own, call.node)


def _parameters(interp: Interpreter, model: Unknown) -> list[Tensor]:
    """The parameters of a model: those of its class, where that is known."""
    known = stand_in(interp, model)
    own = [tensor for _, tensor in parameters(known)] if known is not None else []
    return own or [opaque_parameter(model)]


def _is_open(call: Call, argument: str) -> bool:
    """Whether nothing is known of an argument yet."""
    given = call.keywords.get(argument)
    return isinstance(given, Unknown) and not given.hint


def _model(call: Call, argument: str) -> Unknown:
    model = call.keywords[argument]
    assert isinstance(model, Unknown)
    model.attributes[GIVEN] = True
    return model
