"""What a package, or a module of the project, has under a name that the program computes.

optimizer = getattr(torch.optim, args.optimizer)(model.parameters(), lr=args.lr)
network = models.__dict__[args.arch]()
"""

from __future__ import annotations

import ast
from typing import cast

from autograd_lint.project.star_imports import listed
from autograd_lint.vm.imports import settled, starred
from autograd_lint.vm.instances import is_module_class
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.string_facts import HOLE, keys_of, outline
from autograd_lint.vm.tables import standing
from autograd_lint.vm.values import (
    DEFAULT,
    Class,
    External,
    Function,
    Mapping,
    Module,
    Unknown,
    Value,
)

_NAMES = ".__dict__"
_NAMES_OF = "names of"  # the key under which the rest of a dictionary of names keeps its module
_MOST = 20  # names that are looked at where any of a module is meant


def members_of(value: Value) -> External | None:
    """The package whose names something is a dictionary of; None of anything else."""
    if not isinstance(value, External) or not value.path.endswith(_NAMES):
        return None
    return External(value.path.removesuffix(_NAMES))


def member_of(interp: Interpreter, package: External, name: Value, node: ast.AST) -> Value:
    """What a package has under a name: where that is not known, by default, or one of those that
    are alike to autograd. Whatever else a package is asked for, it is no data."""
    if isinstance(name, Unknown):
        name = _one_of_many(interp, package, name)
    if isinstance(name, str):
        return interp.models.attributes.external(interp, f"{package.path}.{name}")
    return Unknown(interp.text(node), weight=1)


def names_of(module: Module, text: str) -> Mapping:
    """The names of a module of the project as a dictionary, which `text` asks for."""
    names = cast(dict[Value, Value], module.scope.names)
    return Mapping(names, Unknown(text, weight=2, attributes={_NAMES_OF: module}))


def any_name(interp: Interpreter, mapping: Mapping, key: Unknown, node: ast.AST) -> Value:
    """What stands under a key that is not known among the names of a module; None for others."""
    module = mapping.rest.attributes.get(_NAMES_OF) if isinstance(mapping.rest, Unknown) else None
    return any_definition(interp, module, key, node) if isinstance(module, Module) else None


def any_definition(interp: Interpreter, module: Module, name: Unknown, node: ast.AST) -> Value:
    """The class or function of a module of the project that stands for all that it may be asked for
    under a name that is not known, or in parts: a class of layers before any other, and none that
    others of these derive from."""
    modules = [module]
    for one in modules:  # what a package takes whole may have taken others whole itself
        modules += [taken for taken in starred(interp, one.scope) if taken not in modules]
    named = [(one, key) for one in modules for key in _meant(name, one)][:_MOST]
    found = [settled(interp, one.scope, key) for one, key in named]
    classes = [one for one in found if isinstance(one, Class)]
    bases = {base for one in classes for base in one.mro() if base is not one}
    defined = [one for one in found if isinstance(one, (Class, Function)) and one not in bases]
    layers = [one for one in defined if isinstance(one, Class) and is_module_class(one)]
    chosen = next(iter([*layers, *defined]), None)
    return (
        Unknown(interp.text(node), weight=2) if chosen is None else standing(interp, chosen, node)
    )


def _meant(name: Unknown, module: Module) -> list[str]:
    """The names of a module that may be meant by one of which an outline is known at most: of what
    it is there for, where it says so."""
    told = listed(module.source)
    names = [one for one in module.scope.names if not one.startswith("_")]
    names = [one for one in names if one in told] or names
    return list(keys_of(name, names)) if outline(name).strip(HOLE) else names


def _one_of_many(interp: Interpreter, package: External, name: Unknown) -> Value:
    if DEFAULT in name.attributes:
        return name.attributes[DEFAULT]
    return interp.models.attributes.one_of_many(interp, package.path, outline(name).split(HOLE))
