"""What a function takes: its defaults, and which calls of its name it can be."""

from __future__ import annotations

import ast
from itertools import takewhile

from autograd_lint.facts.body import Function
from autograd_lint.project.code import code_of

_PLAIN = {"staticmethod", "classmethod"}  # decorators


def defaults_of(function: Function | ast.Lambda) -> dict[str, ast.expr]:
    """The parameters of a function that have a default, and what that is."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {parameter.arg: default for parameter, default in pairs if default is not None}


def arguments_of(
    call: ast.Call, function: Function | ast.Lambda, *, bound: bool
) -> dict[str, ast.expr]:
    """What a call gives for parameters of a function, by their names: by position up to a `*`, and
    by name. `bound` says that it is called as a method of an object or class."""
    plain = [*function.args.posonlyargs, *function.args.args]
    marks = () if isinstance(function, ast.Lambda) else function.decorator_list
    static = any(code_of(mark) == "staticmethod" for mark in marks)
    places = [parameter.arg for parameter in plain[bound and not static :]]
    by_position = takewhile(lambda one: not isinstance(one, ast.Starred), call.args)
    by_name = {one.arg: one.value for one in call.keywords if one.arg is not None}
    return {**dict(zip(places, by_position, strict=False)), **by_name}


def takes(function: Function, call: ast.Call, method: bool) -> bool:
    """Whether a function, or a method of a class, can be what a call of its name calls.

    A method may be called by its object or by its class. What a decorator makes of a function may
    take whatever it likes, and how much is spread into a call is not known.
    """
    given = {keyword.arg for keyword in call.keywords}
    spread = None in given or any(isinstance(one, ast.Starred) for one in call.args)
    marks = {code_of(mark) for mark in function.decorator_list}
    if spread or not marks <= _PLAIN:
        return True
    bound = method and "staticmethod" not in marks
    ways = {len(call.args), len(call.args) + bound}
    return any(_fits(function.args, count, given) for count in ways)


def _fits(arguments: ast.arguments, count: int, given: set[str | None]) -> bool:
    """Whether so many values by position, and others by name, are neither too many nor too few."""
    places = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    by_name = [one.arg for one in (*arguments.args, *arguments.kwonlyargs)]
    if (count > len(places) and arguments.vararg is None) or not given.isdisjoint(places[:count]):
        return False
    if arguments.kwarg is None and not given.issubset(by_name):
        return False
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    needed = [
        *places[count : len(places) - len(arguments.defaults)],
        *(one.arg for one, default in named if default is None),
    ]
    return given.issuperset(needed)
