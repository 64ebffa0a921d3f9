"""Statements of a training step to leave out of programs, or to move to another place."""

import ast
from collections.abc import Iterator

from benchmarks.mistaken_edits import (
    Edit,
    Mistake,
    Rows,
    indent,
    instead,
    is_backward,
    is_step,
    left_out,
    method_calls,
    steps_behind_backward,
    text_of,
)


def step_left_out(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """The optimizer never steps."""
    for node, call, function in method_calls(tree):
        if is_step(call, function):
            yield left_out(node, rows)


def backward_left_out(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Nothing computes the gradients."""
    for node, call, function in method_calls(tree):
        if is_backward(call, function):
            yield left_out(node, rows)


def cleared_before_step(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Gradients are cleared between backward and step."""
    for backward, step in steps_behind_backward(tree):
        owner = ast.unparse(step).removesuffix(".step()")
        cleared = f"{indent(rows, step)}{owner}.zero_grad()\n"
        yield instead(backward, [*text_of(rows, backward), cleared])


def trained_behind_loop(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Backward and step stand behind the loop over the batches, whose last statements they were."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For) and not node.orelse]
    last = {id(loop.body[-1]): loop for loop in loops if len(loop.body) > 2}
    for backward, step in steps_behind_backward(tree):
        loop = last.get(id(step))
        if loop is not None:
            margin = indent(rows, loop)
            moved = [*text_of(rows, backward), *text_of(rows, step)]
            behind = [margin + row.lstrip() for row in moved]
            yield Edit(backward.lineno, step.end_lineno or step.lineno, behind)


MISPLACED: list[Mistake] = [
    step_left_out,
    backward_left_out,
    cleared_before_step,
    trained_behind_loop,
]
