"""Tables of classes and functions: one entry stands for all where none is named."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    Class,
    External,
    Function,
    Instance,
    Mapping,
    Unknown,
    Value,
)


@dataclass(slots=True, eq=False, repr=False)
class StandingClasses:
    """The classes that stand for all of a table, and how the program asks for them."""

    asked_by: dict[object, str] = field(default_factory=dict)


def any_entry(interp: Interpreter, mapping: Mapping, node: ast.AST) -> Value:
    """The layer, function or class that stands for all of a table; unknown where there is none."""
    found = next(iter(mapping.entries.values()), None)
    if not isinstance(found, (Class, External, Function, Instance)):
        return Unknown(interp.text(node), weight=2)
    return standing(interp, found, node)


def standing(interp: Interpreter, value: Value, node: ast.AST) -> Value:
    """What stands for all that the program may ask for there; of a class it is kept in mind."""
    if isinstance(value, Class):
        interp.state(StandingClasses).asked_by[value] = interp.text(node)
    return value


def means_another(function: Function, keywords: dict[str, Value]) -> bool:
    """Whether a call names what a function does not take: the program means another one then.

    What a decorator makes of the function may take more.
    """
    if not keywords:
        return False
    taken = function.node.args
    if taken.kwarg is not None or getattr(function.node, "decorator_list", None):
        return False
    names = {one.arg for one in (*taken.args, *taken.kwonlyargs)}
    return not keywords.keys() <= names
