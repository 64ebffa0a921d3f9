"""Conditions that tell the last round of a loop from the others, where its length is not known, and
those on which it is left."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query

# How a counter compares with the number of the last round: in that round, and in others.
_OUTCOMES: dict[type[ast.cmpop], tuple[bool, bool]] = {
    ast.Eq: (True, False),
    ast.NotEq: (False, True),
    ast.Lt: (False, True),
    ast.GtE: (True, False),
}
Outcomes = dict[ast.AST, bool]


@query
def outcomes(loop: ast.AST) -> tuple[Outcomes, Outcomes]:
    """What comparisons in a `for` come to: in its last round, and in the others.

    These are `i == n - 1` and the like where `i` counts up to `n`, or to `len(x)` over `x`. What is
    asked of `n - k` is known of the last round alone: `k` is one at least, or it would tell no
    rounds apart.
    """
    assert isinstance(loop, (ast.For, ast.AsyncFor))
    counter, length = _counted(loop)
    last: Outcomes = {}
    others: Outcomes = {}
    for node in _comparisons(loop) if length else ():
        outcome = _OUTCOMES[type(node.ops[0])]
        if _is_of_last(node.left, node.comparators[0], counter, length):
            last[node], others[node] = outcome
        elif _is_near_end(node, counter, length):
            last[node] = outcome[0]
    return last, others


def _counted(loop: ast.For | ast.AsyncFor) -> tuple[str, str]:
    """The name that counts the rounds of a loop, and the code that tells how many there are."""
    call, target = loop.iter, loop.target
    if not isinstance(call, ast.Call) or not 0 < len(call.args) < 3 or call.keywords:
        return "", ""
    function = code_of(call.func)
    if function == "range" and isinstance(target, ast.Name):
        return target.id, code_of(call.args[-1])
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else None
    if function == "enumerate" and isinstance(first, ast.Name) and len(call.args) == 1:
        return first.id, f"len({code_of(call.args[0])})"
    return "", ""


def _comparisons(loop: ast.For | ast.AsyncFor) -> Iterator[ast.Compare]:
    for node in walk(loop):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OUTCOMES:
            yield node


def _is_of_last(left: ast.expr, right: ast.expr, counter: str, length: str) -> bool:
    """Whether a comparison is one of the counter with the number of the last round."""
    told = {(counter, f"{length} - 1"), (f"{counter} + 1", length)}
    return (code_of(left), code_of(right)) in told


def _is_near_end(node: ast.Compare, counter: str, length: str) -> bool:
    """Whether a comparison tells the rounds apart that are so many before the end of a loop."""
    bound = node.comparators[0]
    if not isinstance(node.ops[0], (ast.Lt, ast.GtE)) or code_of(node.left) != counter:
        return False
    if not isinstance(bound, ast.BinOp) or not isinstance(bound.op, ast.Sub):
        return False
    return code_of(bound.left) == length


@query
def way_out(loop: ast.AST) -> Outcomes:
    """The side of an `if` on which a loop is left that does not end by itself: `while True` that a
    single `return` leaves."""
    assert isinstance(loop, ast.While)
    leaving = [one for one in walk(loop) if isinstance(one, (ast.Return, ast.Break))]
    if not isinstance(loop.test, ast.Constant) or len(leaving) != 1:
        return {}
    for one in loop.body:
        for side, body in _sides(one):
            if body[-1:] == leaving and isinstance(leaving[0], ast.Return):
                return {one: side}
    return {}


def _sides(statement: ast.stmt) -> list[tuple[bool, list[ast.stmt]]]:
    """The blocks of an `if`, with what its condition comes to in each; none of other statements."""
    if not isinstance(statement, ast.If):
        return []
    return [(True, statement.body), (False, statement.orelse)]
