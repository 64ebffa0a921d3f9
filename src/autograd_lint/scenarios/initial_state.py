"""What an object and a function begin with: attributes that `__init__` does not set, grad mode.

A method that a framework calls before others (`on_epoch_start`, `reset`) sets them to something
empty or to zero, and others add to them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.scenarios.unknown_calls import option
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import DEFAULT, Class, Function, Instance, Unknown

_SWITCHES = re.compile(r"^\s*[\w.]*\bset_grad_enabled\((True|False)\)", re.MULTILINE)
_GATHERS = re.compile(r"self\.(\w+)(?:\[[^\n]*\])*(?:\.append\(|\s*\+=)")
# What a display of empty lists and numbers is made of.
_PLAIN = (ast.List, ast.Dict, ast.Constant, ast.expr_context)


def begin_attributes(interp: Interpreter, instance: Instance, cls: Class) -> None:
    """Give an object what its own methods add to, as they first set it."""
    found = _beginnings(cls.source, cls.node)
    for name, node in found.items():
        if name not in instance.attributes and cls.find(name) is None:
            instance.attributes[name] = interp.evaluate(node)


def begin_held(instance: Instance) -> None:
    """Leave open what the objects that an object holds have yet to be set by their own methods.

    Who calls the object has called those before: what their constructors leave None is not known.
    """
    for name, held in instance.attributes.items():
        if isinstance(held, Instance) and isinstance(held.cls, Class) and held is not instance:
            methods = _set_by_methods(held.cls)
            for inner, value in held.attributes.items():
                if value is None and inner in methods:
                    held.attributes[inner] = Unknown(f"self.{name}.{inner}")


def begin_options(instance: Instance, name: str) -> None:
    """Leave open what the options of a record of options are: whoever makes it may set them."""
    if isinstance(instance.cls, Class) and instance.cls.dataclass:
        for key, value in instance.attributes.items():
            left_out = Unknown(f"{name}.{key}", usual=False, attributes={DEFAULT: None})
            instance.attributes[key] = left_out if value is None else option(name, key, value)


def _set_by_methods(cls: Class) -> frozenset[str]:
    """The attributes that methods of a class set, aside from its constructor."""
    found: set[str] = set()
    for own in cls.mro():
        found |= _stored(own.definition)
    return frozenset(found)


@query
def _stored(node: ast.AST) -> frozenset[str]:
    assert isinstance(node, ast.ClassDef)
    methods = [one for one in node.body if getattr(one, "name", "__init__") != "__init__"]
    parts = (part for method in methods for part in walk(method))
    return frozenset(
        part.attr
        for part in parts
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    )


def begins_off(function: Function) -> bool:
    """Whether a function switches grad mode on for good, so that it is off where it is called."""
    return function.query(_switches_on)


@query
def _switches_on(source: Source, node: ast.AST) -> bool:
    switched = _SWITCHES.search(source.segment(node))
    return switched is not None and switched[1] == "True"


@query
def _beginnings(source: Source, node: ast.ClassDef) -> dict[str, ast.expr]:
    """What the methods of a class set plainly and add to."""
    gathered = set(_GATHERS.findall(source.segment(node)))
    if not gathered:
        return {}
    found: dict[str, ast.expr] = {}
    for part in walk(node):
        for target, value in _pairs(part):
            if isinstance(target, ast.Attribute) and target.attr in gathered and _is_plain(value):
                found.setdefault(target.attr, value)
    return found


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, each with its value, as far as they stand one by one."""
    for target in node.targets if isinstance(node, ast.Assign) else ():
        assert isinstance(node, ast.Assign)
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _is_plain(value: ast.expr) -> bool:
    """Whether a value is a number, or a list or dictionary of such that is empty to begin with."""
    parts = list(walk(value))
    numbers = not isinstance(value, ast.Constant) or type(value.value) in (int, float)
    return numbers and all(isinstance(part, _PLAIN) for part in parts)
