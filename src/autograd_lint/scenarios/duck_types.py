"""What an argument is by the methods that the code calls of it, where no annotation says so."""

from __future__ import annotations

from functools import partial

from autograd_lint.facts.body import called_of
from autograd_lint.facts.receivers import receivers
from autograd_lint.vm.abstract_methods import is_abstract
from autograd_lint.vm.imports import module_of_file, settled
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import USED_AS, Class, Function, Lazy, Unknown, Value


def write_by_use(given: Unknown, name: str, functions: list[Function]) -> None:
    """Let an argument that functions know by a name know the class that has the methods used."""
    called = frozenset[str]().union(*(called_of(name, one.node) for one in functions))
    if called:
        given.attributes[USED_AS] = Lazy(partial(_class_with, called))


def _class_with(methods: frozenset[str], interp: Interpreter) -> Value:
    """The class of a project that has those methods: the first one of which there are objects."""
    for found in receivers(methods, interp.world.project):
        scope = module_of_file(interp, found.source).scope
        cls = settled(interp, scope, found.node.name) if found.node.name in scope.names else None
        if isinstance(cls, Class) and not is_abstract(cls) and _has(cls, methods):
            return cls
    return None


def _has(cls: Class, methods: frozenset[str]) -> bool:
    """Whether a class has the methods: those that no base from outside may have either."""
    return bool(cls.external_bases()) or all(cls.find(one) is not None for one in methods - {""})
