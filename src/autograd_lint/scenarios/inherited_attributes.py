"""Attributes that a base class from outside has set: what the methods of a class use them as.

A class derives from one of a library that is not at hand, runs backward and steps `self.optimizer`,
which nothing in its own code sets: that is the optimizer of the model which the class trains.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from autograd_lint.facts.body import Called, body, path_of
from autograd_lint.facts.roles import Roles
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN, opaque_parameter
from autograd_lint.libraries.torch.training.optimizers import given_optimizer
from autograd_lint.scenarios.handed_roles import roles_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, External, Function, Instance, Items, Unknown

_KNOWN = ("torch.", "builtins.", "abc.", "typing.", "collections.", "dataclasses.", "enum.")


def infer_inherited(interp: Interpreter, instance: Instance, cls: Class) -> None:
    """Make of what only a base from outside can have set what the class uses it as."""
    functions = _methods(cls)
    if not functions or not _has_base_from_outside(cls):
        return
    names = frozenset(f"self.{name}" for name in _used(functions) if _is_unset(instance, cls, name))
    roles = roles_in(tuple(functions), names) if names else Roles()
    models = {name: _model(name) for name in sorted(roles.modules)}
    lists = {name: _model(f"{name}[0]") for name in sorted(roles.lists)}
    for name, model in models.items():
        instance.attributes[_bare(name)] = model
    for name, model in lists.items():
        instance.attributes[_bare(name)] = Items("list", [model])
    trained = _trained(roles, {**models, **lists})
    for name in trained if all(_is_surely_one(functions, one) for one in trained) else ():
        known = [opaque_parameter(model) for model in trained[name]]
        optimizer = given_optimizer(interp, name, known, cls.node)
        instance.attributes[_bare(name)] = optimizer


def _trained(roles: Roles, models: Mapping[str, Unknown]) -> dict[str, list[Unknown]]:
    """The optimizers, each with the modules that it trains: the only one all of them."""
    if roles.optimizer is not None:
        return {roles.optimizer: list(models.values())}
    return {optimizer: [models[module]] for optimizer, module in sorted(roles.pairs)}


def _model(name: str) -> Unknown:
    return Unknown(name, attributes={GIVEN: True})


def _bare(path: str) -> str:
    return path.removeprefix("self.")


def _methods(cls: Class) -> list[Function]:
    """The functions of a class, and of those bases that are at hand, in one file."""
    values = [value for own in cls.mro() for value in own.attributes.values()]
    functions = [value.written for value in values if isinstance(value, Function)]
    return [one for one in functions if one.source is cls.source]


def _has_base_from_outside(cls: Class) -> bool:
    """Whether some base is neither at hand nor one of torch or Python."""
    bases = [base for own in cls.mro() for base in own.bases]
    outside = [base for base in bases if not isinstance(base, Class)]
    return any(
        not isinstance(base, External) or not base.path.startswith(_KNOWN) for base in outside
    )


def _is_surely_one(functions: list[Function], name: str) -> bool:
    """Whether what is stepped is called an optimizer or cleared as well, or something else (a
    scheduler) steps after it: a scheduler by itself looks like an optimizer."""
    calls = [call for one in functions for call in body(one.node).calls]
    stepped = {call.owner for call in calls if call.method == "step"}
    cleared = {call.owner for call in calls if call.method == "zero_grad"}
    return "optim" in name.lower() or name in cleared or len(stepped) > 1


def _used(functions: list[Function]) -> set[str]:
    """The attributes of its own object that a class calls, or calls methods of; and those that it
    gives other names, or takes elements of."""
    calls = [call for one in functions for call in body(one.node).calls]
    paths = {path for call in calls for path in (call.owner, call.path, _holder(call))}
    paths |= {path_of(bound.value) for one in functions for bound in body(one.node).bindings}
    own = (_bare(path) for path in paths if path.startswith("self."))
    return {name for name in own if "." not in name}


def _holder(call: Called) -> str:
    """What an element of is called; empty for any other call."""
    function = call.node.func
    return path_of(function.value) if isinstance(function, ast.Subscript) else ""


def _is_unset(instance: Instance, cls: Class, name: str) -> bool:
    """Whether neither the constructor nor a method sets an attribute, nor has one of that name."""
    names = {key for own in cls.mro() for key in own.attributes}
    values = [value for own in cls.mro() for value in own.attributes.values()]
    methods = [value.written.node for value in values if isinstance(value, Function)]
    stored = {set_there for method in methods for set_there in body(method).stored()}
    return name not in names | stored and name not in instance.attributes
