"""Loops: run until nothing new can happen."""

from __future__ import annotations

import ast

from autograd_lint.interpreter.assignment import assign
from autograd_lint.interpreter.control import BreakLoop, ContinueLoop
from autograd_lint.interpreter.gate import trains
from autograd_lint.interpreter.iteration import LONGEST, iterate
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.truth import known_truth
from autograd_lint.interpreter.values import Items
from autograd_lint.interpreter.watching import leaves, modes

ROUNDS = 2
COSTLY = 100  # steps after which a loop over known elements is cut short like any other
ROUNDS_WITH_BACKWARD = 3  # a weight saved in the second round is overwritten before the third


def run_for(interp: Interpreter, node: ast.For | ast.AsyncFor) -> None:
    """`for`: every element of a short known sequence, a few rounds of any other."""
    sequence = interp.evaluate(node.iter)
    if isinstance(sequence, Items):
        leaves.used(interp, sequence, node.iter)
        modes.looped(interp, sequence.leaks, node)
    iteration = iterate(interp, sequence, node.iter)
    few = rounds(interp, node)
    limit = LONGEST if iteration.complete else few
    start = interp.steps
    for count, value in enumerate(iteration.few(limit)):
        if count >= few and interp.steps - start > COSTLY:
            break
        assign(interp, node.target, value)
        if not _round(interp, node.body):
            return
    interp.run_block(node.orelse)


def run_while(interp: Interpreter, node: ast.While) -> None:
    """`while`: as long as the condition is known to hold, a few rounds where it is not known."""
    unknown_rounds = rounds(interp, node)
    for _ in range(LONGEST):
        holds = known_truth(interp.evaluate(node.test))
        if holds is False:
            break
        if holds is None or isinstance(node.test, ast.Constant):
            if unknown_rounds == 0:
                return
            unknown_rounds -= 1
        if not _round(interp, node.body):
            return
    interp.run_block(node.orelse)


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
