"""Switches and numbers of an object that its methods set: when a method begins, who knows."""

from __future__ import annotations

import ast

from autograd_lint.interpreter.python.code import once
from autograd_lint.interpreter.values import Class, Definition, Function, Instance, Unknown
from autograd_lint.project.source import Source


def let_go(instance: Instance) -> None:
    """Forget what methods may have set since: a switch is as it was by default, or the contrary."""
    classes = instance.cls.mro() if isinstance(instance.cls, Class) else ()
    values = [value for own in classes for value in own.attributes.values()]
    methods = [value.written for value in values if isinstance(value, Function)]
    later = [method.about(stored) for method in methods if method.name != "__init__"]
    for name in frozenset().union(*later) & instance.attributes.keys():
        value = instance.attributes[name]
        if isinstance(value, bool):
            instance.attributes[name] = Unknown(f"self.{name}", "bool", usual=value)
        elif isinstance(value, int):
            instance.attributes[name] = Unknown(f"self.{name}", "int")


def stored(source: Source, node: Definition) -> frozenset[str]:
    """The attributes that a function sets."""

    def find(_: ast.AST) -> frozenset[str]:
        parts = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
        return frozenset(part.attr for part in parts if isinstance(part.ctx, ast.Store))

    return once(node, "stored", find)
