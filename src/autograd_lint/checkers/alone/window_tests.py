"""Tests that are to end an accumulation window, and are true in the wrong iterations.

for i, batch in enumerate(loader):
    (loss_of(batch) / n).backward()
    if i + 1 % n == 0:             # i + (1 % n), which is never zero
        optimizer.step()
    if (i + 1) % n:                # true in all iterations but every n-th
        optimizer.step()
        optimizer.zero_grad()

Source: https://docs.python.org/3/reference/expressions.html#operator-precedence
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import PRECEDENCE, Pitfall
from autograd_lint.facts.body import Called, body
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_STEPPING = frozenset({"step", "zero_grad", "optimizer_step"})


def judge(source: Source) -> Iterator[Fault]:
    """The conditions of loops that step an optimizer, each once."""
    loops = (*source.each(ast.For), *source.each(ast.While))
    inside = {part: loop for loop in loops for part in walk(loop) if isinstance(part, ast.If)}
    for condition, loop in inside.items():
        slip = _slip(condition.test) if _steps(condition.body) else None
        if slip is not None:
            yield Fault(
                Pitfall.WINDOW_MISJUDGED,
                source.place(slip),
                tensor=ast.unparse(slip),
                detail=PRECEDENCE,
            )
        elif _is_inverted(condition, loop):
            yield Fault(
                Pitfall.WINDOW_MISJUDGED,
                source.place(condition.test),
                tensor=ast.unparse(condition.test),
            )


def _steps(statements: list[ast.stmt]) -> bool:
    return any(call.method in _STEPPING for call in _calls(statements))


def _calls(statements: list[ast.stmt]) -> Iterator[Called]:
    return (call for statement in statements for call in body(statement).calls)


def _slip(test: ast.expr) -> ast.BinOp | None:
    """The sum in `i + 1 % n == 0`, or in `not i + 1 % n`: a number whose remainder is taken."""
    sums = (_asked_for_zero(part) for part in walk(test))
    found = (one for one in sums if isinstance(one, ast.BinOp) and _adds_remainder(one))
    return next(found, None)


def _adds_remainder(code: ast.BinOp) -> bool:
    taken = code.right
    is_remainder = isinstance(taken, ast.BinOp) and isinstance(taken.op, ast.Mod)
    of_number = isinstance(taken, ast.BinOp) and isinstance(_value(taken.left), int)
    return isinstance(code.op, (ast.Add, ast.Sub)) and is_remainder and of_number


def _asked_for_zero(test: ast.AST) -> ast.expr | None:
    """What a part of a test asks to be zero, or not to be."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return _compared_to_zero(test) if isinstance(test, ast.Compare) else None


def _compared_to_zero(test: ast.Compare) -> ast.expr | None:
    (first, *others), last = test.ops, test.comparators[-1]
    compares = isinstance(first, (ast.Eq, ast.NotEq, ast.Gt)) and not others
    return test.left if compares and _value(last) == 0 else None


def _value(code: ast.expr) -> object:
    return code.value if isinstance(code, ast.Constant) else None


def _is_inverted(condition: ast.If, loop: ast.AST) -> bool:
    """Whether a window of as many iterations as the loss is divided by ends in all but the last."""
    window = _window_unless_last(condition.test)
    done = {call.method for call in _calls(condition.body)}
    if window is None or not {"step", "zero_grad"} <= done or _steps(condition.orelse):
        return False
    own = set(walk(condition))
    walked = any(one.method == "backward" and one.node not in own for one in body(loop).calls)
    return walked and ("accum" in window.lower() or window in _divisors(loop))


def _window_unless_last(test: ast.expr) -> str | None:
    """The length of the window in `i % n`, `i % n != 0` or `i % n > 0`, as it is written."""
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq):
        return None
    asked = _compared_to_zero(test) if isinstance(test, ast.Compare) else test
    is_remainder = isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.Mod)
    return code_of(asked.right) if is_remainder and isinstance(asked, ast.BinOp) else None


def _divisors(loop: ast.AST) -> set[str]:
    """What a loop divides by, as it is written."""
    parts = list(walk(loop))
    pairs = (
        *((one.op, one.right) for one in parts if isinstance(one, ast.BinOp)),
        *((one.op, one.value) for one in parts if isinstance(one, ast.AugAssign)),
    )
    return {code_of(divisor) for operator, divisor in pairs if isinstance(operator, ast.Div)}
