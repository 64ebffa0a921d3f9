"""Switches and numbers of an object that its methods set: when a method begins, who knows."""

from __future__ import annotations

import ast
from collections import Counter

from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.values import Class, Definition, Function, Instance, Unknown


def let_go(instance: Instance) -> None:
    """Forget what methods may have set since: a switch is as it was by default, or the contrary."""
    classes = instance.cls.mro() if isinstance(instance.cls, Class) else ()
    values = [value for own in classes for value in own.attributes.values()]
    methods = [value.written for value in values if isinstance(value, Function)]
    later = [method.query(_chosen if method.name == "__init__" else stored) for method in methods]
    for name in frozenset().union(*later).intersection(instance.attributes):
        value = instance.attributes[name]
        if isinstance(value, bool):
            instance.attributes[name] = Unknown(f"self.{name}", "bool", usual=value)
        elif isinstance(value, int):
            instance.attributes[name] = Unknown(f"self.{name}", "int")


@query
def stored(source: Source, node: Definition) -> frozenset[str]:
    """The attributes that a function sets."""

    return frozenset(_stores(node))


def _stores(node: Definition) -> Counter[str]:
    parts = [part for part in walk(node) if isinstance(part, ast.Attribute)]
    return Counter(part.attr for part in parts if isinstance(part.ctx, ast.Store))


@query
def _chosen(source: Source, node: Definition) -> frozenset[str]:
    """The attributes that a function sets in one place to this and in another to that."""
    return frozenset(n for n, c in _stores(node).items() if c > 1)
