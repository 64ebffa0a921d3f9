"""What of a file is run by harnesses: what its module body and earlier runs have not come to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set

from autograd_lint.facts.effects import trains_in
from autograd_lint.facts.files_of_tests import is_left_out, is_test_method
from autograd_lint.facts.recorded_calls import recorded_calls
from autograd_lint.facts.relevance import called, suspects, users_of_training
from autograd_lint.libraries.torch.functions.custom_functions import is_custom_function
from autograd_lint.observed.calls import Call
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.scenarios.training_steps import steps
from autograd_lint.vm.values import Class, Function, Value

Named = Callable[[str], Value]
"""What a name of the module is bound to."""


def not_yet_run(
    source: Source, named: Named, entered: Set[ast.AST]
) -> Iterator[tuple[str, Class | Function]]:
    """Classes, the last first (they use the earlier ones), functions nobody calls, and those that
    only use what trains.

    `entered` are the functions that runs have come to, also those that come meanwhile.
    """
    names = suspects(source)
    values = [(name, named(name)) for name in names]
    for name, value in reversed(values):
        if isinstance(value, Class) and _has_more_to_run(value, entered):
            yield name, value
    # What another definition calls is judged by those calls: only they know its arguments.
    helpers = called(source, names)
    functions = [
        (name, value)
        for name, value in values
        if isinstance(value, Function) and not is_left_out(value.written.node)
    ]
    for name, function in functions:
        if function.name not in helpers and function.node not in entered:
            yield name, function
    # A training step that those calls did not get to is run after all.
    for name, function in functions:
        if function.node not in entered and trains(function):
            yield name, function
    for name in users_of_training(source):
        user = named(name)
        if isinstance(user, Function) and user.node not in entered:
            yield name, user


def recorded_entries(source: Source, project: Project) -> Iterator[tuple[str, tuple[Call, ...]]]:
    """The functions worth running that recorded runs have called, each with these calls."""
    worth = set(suspects(source))
    for name, calls in recorded_calls(source, project).items():
        if name.partition(".")[0] in worth:
            yield name, calls


def trains(value: Class | Function) -> bool:
    """Whether it trains itself, or has an optimizer for others to do so."""
    return "optim" in value.source.segment(value.node) or trains_in(value.source, value.node)


def tests_of(cls: Class) -> Iterator[Function]:
    """The tests of a class, those that it inherits among them."""
    names = dict.fromkeys(name for own in cls.mro() for name in own.attributes)
    found = (cls.find(name) for name in names)
    for method in found:
        if isinstance(method, Function) and is_test_method(method.written.node):
            yield method


def run_with(value: Value) -> Iterator[ast.AST]:
    """The functions of a class that are run with their class, unless they were before."""
    if isinstance(value, Class):
        for function in (*value.attributes.values(), *steps(value)):
            if isinstance(function, Function):
                yield from (function.node, function.written.node)


def _has_more_to_run(cls: Class, entered: Set[ast.AST]) -> bool:
    forward = cls.find("forward")
    if isinstance(forward, Function) and is_custom_function(cls):
        return forward.node not in entered
    functions = [v for v in cls.attributes.values() if isinstance(v, Function)]
    return any(function.node not in entered for function in functions)
