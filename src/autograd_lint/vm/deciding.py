"""Which way a run goes on an unknown condition."""

from __future__ import annotations

import ast

from autograd_lint.places import Place
from autograd_lint.project.code import on_one_line
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import PERIODIC, Unknown


def decide(
    interp: Interpreter,
    unknown: Unknown,
    node: ast.AST,
    usual: bool = True,
    *,
    negated: bool = False,
    measured: bool = False,
) -> bool:
    """Which way to go on an unknown condition; the same condition goes the same way.

    `negated` says that `node` spells out the contrary of the condition, `measured` that the values
    of a tensor decide.
    """
    if unknown.negates is not None:
        turned, inner = not usual, unknown.negates
        return not decide(interp, inner, node, turned, negated=not negated, measured=measured)
    choices, branch = interp.choices, interp.frame.branch
    position = choices.truths.get(unknown)
    if position is None:
        position = _decided(interp, unknown, node, usual, negated=negated, measured=measured)
        choices.truths[unknown] = position
    if branch is not None:
        choices.path.steer(position, branch)
    if _matters(interp, unknown, branch):
        choices.path.fault_relevant.add(position)
        if _acts(interp, branch):
            choices.path.acting.add(position)
        function, trains_in = interp.frame.function, interp.world.relevance.trains_in
        if function is not None and function.query(trains_in):
            choices.path.pressing.add(position)
    return choices.path.decisions[position].taken


def _decided(
    interp: Interpreter,
    unknown: Unknown,
    node: ast.AST,
    usual: bool,
    *,
    negated: bool,
    measured: bool,
) -> int:
    """The position on the path of a decision that is made now."""
    frame, choices, passed = interp.frame, interp.choices, interp.world.passed
    branch = frame.branch
    given = frame.firm and unknown.hint != "bool"
    firm = given or branch in passed or branch in choices.path.wanted_sides
    flag = isinstance(node, ast.Call) and unknown.usual is not None
    return choices.path.decide(
        interp.place(node),
        unknown.origin if flag else on_one_line(node),
        usual if firm or unknown.usual is None else unknown.usual,
        interp.place(branch) if branch is not None else None,
        negated=negated,
        seldom=unknown.seldom,
        measured=measured,
        lasting=choices.lasts(unknown),
        periodic=PERIODIC in unknown.attributes,
        passed=branch in passed,
        default=unknown.usual,
        around=_asked_around(interp),
    )


def _asked_around(interp: Interpreter) -> Place | None:
    """The innermost `if` of a caller whose condition called the function that runs."""
    for frame in interp.frames[-2::-1]:
        if frame.branch is not None:
            return frame.source.place(frame.branch)
    return None


def _matters(interp: Interpreter, unknown: Unknown, branch: ast.If | None) -> bool:
    """Whether what a fault needs stands in a branch, so that both sides should be tried."""
    source = interp.source
    if branch is None or PERIODIC in unknown.attributes or source is not interp.world.source:
        return False
    leads_to_fault = interp.world.relevance.leads_to_fault
    return interp.memoized("matters", branch, lambda node: leads_to_fault(source, node))


def _acts(interp: Interpreter, branch: ast.If | None) -> bool:
    """Whether what may concern code elsewhere stands in a branch."""
    source, leads_to_act = interp.source, interp.world.relevance.leads_to_act
    if branch is None:
        return False
    return interp.memoized("acts", branch, lambda node: leads_to_act(source, node))
