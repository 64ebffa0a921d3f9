"""How many steps of the interpreter the runs over a file may take."""

from __future__ import annotations

from autograd_lint.analysis.entries import trains
from autograd_lint.project.source import Source
from autograd_lint.vm.values import Class, Function, Value

HARNESS = 1_000  # one run of a harness
TESTS = 6_000  # tests in which nothing but what they import can go wrong
USERS = 1_000  # modules in which nothing can go wrong but in the layers that they import
_MODULE = 20_000  # one run of a module body
_TRAINING = 8_000  # a harness of what trains: whole models and losses, in several rounds
_DIRECTED = 400  # one run to statements that no other reached
_DIRECTED_TRAINING = 2_000  # where it trains
_FILE = 20_000  # all runs over a file, however short
_LINE = 10  # and for every line of it


def of_file(source: Source, within: int | None = None) -> int:
    """All runs over a file, where they go `within` so many steps."""
    return _at_most(within, _FILE + _LINE * len(source.lines))


def kept_back(of_file: int) -> int:
    """What of the steps of a file is left to definitions that no run has begun."""
    return of_file // 2


def of_module_body(source: Source, within: int | None = None) -> int:
    """One run of a module body: each line at least once, where that goes `within` so many steps."""
    return _at_most(within, max(_MODULE, 2 * len(source.lines)))


def _at_most(within: int | None, steps: int) -> int:
    return steps if within is None else min(steps, within)


def of_harness(value: Value) -> int:
    """One run of a harness of a class or function."""
    return _TRAINING if isinstance(value, (Class, Function)) and trains(value) else HARNESS


def of_directed_run(function: Function) -> int:
    """One run of a function to statements that no other reached."""
    return _DIRECTED_TRAINING if trains(function) else _DIRECTED
