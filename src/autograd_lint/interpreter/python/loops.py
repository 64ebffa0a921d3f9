"""Loops: run until nothing new can happen."""

from __future__ import annotations

import ast

from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.python.assignment import assign
from autograd_lint.interpreter.python.control import BreakLoop, ContinueLoop
from autograd_lint.interpreter.python.instances import call_method, has_method
from autograd_lint.interpreter.python.iteration import LONGEST, iterate
from autograd_lint.interpreter.python.truth import known_truth
from autograd_lint.interpreter.runs.gate import trains
from autograd_lint.interpreter.values import Instance, Items, Unknown, Value
from autograd_lint.interpreter.watching import leaves, modes, steps

ROUNDS = 2
COSTLY = 100  # steps after which a loop over known elements is cut short like any other
ROUNDS_WITH_BACKWARD = 3  # a weight saved in the second round is overwritten before the third


def run_for(interp: Interpreter, node: ast.For | ast.AsyncFor) -> None:
    """`for`: every element of a short known sequence, a few rounds of any other."""
    sequence = _iterator(interp, interp.evaluate(node.iter), node)
    if isinstance(sequence, Items):
        leaves.used(interp, sequence, node.iter)
        modes.looped(interp, sequence.leaks, node)
    iteration = iterate(interp, sequence, node.iter)
    few = rounds(interp, node)
    limit = LONGEST if iteration.complete else few
    start = interp.steps
    for count, value in enumerate(iteration.few(limit)):
        if count >= few and interp.steps - start > COSTLY:
            steps.cleared_in_part(sequence)
            break
        assign(interp, node.target, value)
        if not _round(interp, node.body):
            return
    else:
        if not iteration.complete:
            steps.cleared_in_part(sequence)
    interp.run_block(node.orelse)


def _iterator(interp: Interpreter, value: Value, node: ast.For | ast.AsyncFor) -> Value:
    """What the `__iter__` of an object yields, where it is a generator."""
    if not isinstance(value, Instance) or not has_method(value, "__iter__"):
        return value
    made = call_method(interp, value, "__iter__", [], node.iter)
    return made if isinstance(made, Items) else value


def run_while(interp: Interpreter, node: ast.While) -> None:
    """`while`: as long as the condition is known to hold, a few rounds where it is not known."""
    unknown_rounds = rounds(interp, node)
    for _ in range(LONGEST):
        holds = _holds(interp, interp.evaluate(node.test))
        if holds is False:
            break
        if holds is None or isinstance(node.test, ast.Constant):
            if unknown_rounds == 0:
                return
            unknown_rounds -= 1
        if not _round(interp, node.body):
            return
    interp.run_block(node.orelse)


def _holds(interp: Interpreter, condition: Value) -> bool | None:
    """Whether the condition of a loop is known; what the path has found to be false ends it."""
    known = known_truth(condition)
    if known is None and isinstance(condition, Unknown) and interp.decided(condition) is False:
        return False
    return known


def _round(interp: Interpreter, body: list[ast.stmt]) -> bool:
    """Run the body once; False when it left the loop."""
    try:
        interp.run_block(body)
    except ContinueLoop:
        return True
    except BreakLoop:
        return False
    return True


def rounds(interp: Interpreter, node: ast.AST) -> int:
    """How many rounds of a loop of unknown length show all that can happen."""
    training = interp.trait("trains", node, lambda node: trains(interp.source.segment(node)))
    return ROUNDS_WITH_BACKWARD if training else ROUNDS
