"""Tables of classes and functions: one entry stands for all where none is named."""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.project.code import code_of
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


def any_entry(interp: Interpreter, mapping: Mapping, node: ast.AST) -> Value:
    """The layer, function or class that stands for all of a table; unknown where there is none."""
    found = next(iter(mapping.entries.values()), None)
    if not isinstance(found, (Class, External, Function, Instance)):
        return Unknown(interp.text(node), weight=2)
    if isinstance(found, Class):
        interp.watch.standing[found] = interp.text(node)
    return found


def made(interp: Interpreter, module: Instance) -> None:
    """A module was made: what is computed with it rests on its class where that is any entry."""
    from autograd_lint.libraries.torch.modules import parameters

    asked = interp.watch.standing.get(module.cls)
    if asked is None or not isinstance(module.cls, Class) or _is_named(module, module.cls):
        return
    because = frozenset({Assumption(Kind.IS_ENTRY, asked, module.cls.name, weight=0)})
    for _, tensor in parameters(module):
        if tensor.requires is not None:
            tensor.requires |= because


def _is_named(module: Instance, cls: Class) -> bool:
    """Whether an object is made by the name of its class, and not as any entry of a table."""
    made = module.made_at
    return isinstance(made, ast.Call) and code_of(made.func).rpartition(".")[2] == cls.name


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
