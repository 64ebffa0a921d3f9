"""Conditions that hold only where a caller gives what has a default, though nobody does.

A flag that is off by default, and that nobody sets, is there for others or for nobody. Packages
offer their functions to all who import them: of these nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Assumption
from autograd_lint.interpreter.runs.callers import Callers, Definition, call_of, owner_at
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def nobody_asks(why: Assumption, source: Source, project: Project) -> bool:
    """Whether a condition is true only for arguments that no caller in the project gives."""
    if why.decided is None or why.decided[1].filename != source.filename:
        return False
    condition, place = why.decided
    owner = owner_at(source, place.row)
    if owner is None or owner.function is None or owner.function.name == "forward":
        return False  # modules are called by whatever names they have
    names = _needed(condition, telling_defaults(owner.function))
    if not names or project.offers(owner.name):
        return False
    sites = Callers(project).sites(owner)
    calls = [call_of(site) for site in sites or ()]
    return bool(calls) and not any(
        call is None or _gives(call, owner.function, names, bound=owner.cls is not None)
        for call in calls
    )


def telling_defaults(function: Definition | ast.Lambda) -> dict[str, object]:
    """The parameters that are None, True or False unless they are given."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {
        parameter.arg: default.value
        for parameter, default in pairs
        if isinstance(default, ast.Constant)
        and any(default.value is value for value in (None, True, False))
    }


def _needed(condition: str, defaults: dict[str, object]) -> set[str]:
    """The parameters of which some must be given for a condition to be true."""
    try:
        node = ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError):
        return set()  # it was cut short
    if _truth(node, defaults) is not False:
        return set()
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} & defaults.keys()


def _truth(node: ast.expr, known: dict[str, object]) -> bool | None:
    """Whether an expression is true where names have the known values; None if that is open."""
    if isinstance(node, ast.Name):
        return bool(known[node.id]) if node.id in known else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _truth(node.operand, known)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        parts = [_truth(value, known) for value in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, known)
    return None


def _compared(node: ast.Compare, known: dict[str, object]) -> bool | None:
    """`x is None` and `x is not None`."""
    nothing = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None
    if not nothing or not isinstance(node.left, ast.Name) or node.left.id not in known:
        return None
    return (known[node.left.id] is None) is isinstance(node.ops[0], (ast.Is, ast.Eq))


def _gives(call: ast.Call, function: Definition, names: set[str], *, bound: bool) -> bool:
    """Whether a call gives, or may give, one of some parameters."""
    positions = {name: position for position, name in enumerate(_positional(function, bound))}
    given = {keyword.arg for keyword in call.keywords}
    spread = None in given or any(isinstance(part, ast.Starred) for part in call.args)
    reached = any(positions.get(name, len(call.args)) < len(call.args) for name in names)
    return spread or reached or not names.isdisjoint(given)


def _positional(function: Definition, bound: bool) -> Iterator[str]:
    parameters = [*function.args.posonlyargs, *function.args.args]
    static = any(getattr(mark, "id", "") == "staticmethod" for mark in function.decorator_list)
    yield from (parameter.arg for parameter in parameters[bound and not static :])
