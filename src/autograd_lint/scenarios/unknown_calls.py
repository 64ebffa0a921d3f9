"""Calls with unknown arguments, which a harness makes where nothing tells what a caller gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.constant_arguments import telling_defaults
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN
from autograd_lint.project.code import code_of
from autograd_lint.scenarios.annotations import write_as
from autograd_lint.scenarios.pytest_parameters import given_by_marks
from autograd_lint.vm.calls import Call
from autograd_lint.vm.hints import hint_of
from autograd_lint.vm.tensor_annotations import Written, tensor_written
from autograd_lint.vm.values import (
    ANNOTATED,
    ARGUMENT,
    DEFAULT,
    Class,
    Function,
    Instance,
    Items,
    Unknown,
    Value,
    constant,
)


def unknown_call(
    node: ast.AST, function: Function | None, *, bound: bool, any_name: bool = False
) -> Call:
    """A call with unknown arguments; parameters with a telling default keep it.

    Flags may be on as well as off: what they are by default is the side to try first. With
    `any_name` other options may be anything as well.
    """
    call = Call([], {}, node, more=True)
    if function is None:
        return call
    for parameter, default in positional(function, bound):
        _add_unknown(call, parameter, default, any_name)
    for parameter in function.node.args.kwonlyargs:
        _add_unknown(call, parameter, function.keyword_defaults.get(parameter.arg), any_name)
    for parameter in (*function.node.args.args, *function.node.args.kwonlyargs):
        write_as(call.keywords.get(parameter.arg), function, parameter.annotation)
    always = dict(given_by_marks(function.node))
    call.keywords.update({name: always[name] for name in always.keys() & call.keywords.keys()})
    return call


def leave_out(call: Call, made: Function) -> None:
    """Take the options of an object that are None by default for left out, as a rule.

    What a step is given is another matter: labels, or masks, are given where something is trained.
    """
    for name, value in telling_defaults(made.node).items():
        option = call.keywords.get(name)
        if value is None and isinstance(option, Unknown):
            option.usual, option.attributes[DEFAULT] = False, None


def positional(function: Function, bound: bool) -> Iterator[tuple[ast.arg, Value]]:
    """The parameters that a caller gives by position, each with its default or None."""
    arguments = function.node.args
    parameters = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(parameters) - len(function.defaults)), *function.defaults]
    return islice(zip(parameters, defaults, strict=True), 1 if bound else 0, None)


def _add_unknown(call: Call, parameter: ast.arg, default: Value, any_name: bool) -> None:
    if any_name and default is not None and not isinstance(default, bool):
        call.keywords[parameter.arg] = _any(parameter.arg, default)
    elif default is None:
        unknown = call.keywords[parameter.arg] = Unknown(parameter.arg, hint_of(parameter))
        unknown.attributes[ARGUMENT] = True
        if _is_module(parameter):
            unknown.attributes[GIVEN] = True
        elif parameter.annotation and (kind := tensor_written(parameter.annotation)):
            unknown.attributes[ANNOTATED] = True
            if kind is Written.COUNTING:
                unknown.tensor = Tensor(name=parameter.arg, dtype="int")
    elif isinstance(default, bool):
        call.keywords[parameter.arg] = Unknown(parameter.arg, "bool", usual=default)


def _any(name: str, default: Value) -> Value:
    """What may be given in the place of a default: of its kind, but another one."""
    if isinstance(default, str):
        return Unknown(name, "string")
    if isinstance(default, (int, float)):
        return Unknown(name, "number")
    if isinstance(default, Items) and all(map(constant, default.items)):
        return Unknown(name, "shape" if _sizes(default) else "")
    if isinstance(default, Instance) and isinstance(default.cls, Class):
        known = {
            key: value for own in default.cls.mro()[::-1] for key, value in own.attributes.items()
        }
        options = {key: value for key, value in known.items() if isinstance(value, (bool, str))}
        given = {**options, **default.attributes}
        unknown = {key: option(name, key, value) for key, value in given.items()}
        return replace(default, attributes=unknown)
    return default


def option(name: str, key: str, value: Value) -> Value:
    """An attribute of an object that holds options."""
    if isinstance(value, bool):
        return Unknown(f"{name}.{key}", "bool", usual=value)
    return Unknown(f"{name}.{key}", "string") if isinstance(value, str) else value


def _sizes(default: Items) -> bool:
    return all(isinstance(item, int) for item in default.items)


def _is_module(parameter: ast.arg) -> bool:
    """Whether an argument is annotated as a module, or as a model that is one."""
    annotation = code_of(parameter.annotation) if parameter.annotation else ""
    return re.search(r"\bnn\.Module\b|\bPreTrainedModel\b", annotation) is not None
