"""Which way a run goes on an unknown condition."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from autograd_lint.places import Place
from autograd_lint.project.code import code_of, on_one_line
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import PERIODIC, Unknown

_NEW = frozenset({"tensor", "zeros", "ones", "full", "zeros_like", "ones_like", "new_zeros"})
_Branch = ast.If | ast.IfExp
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
        if branch is not None and _acts(interp, interp.source, branch):
            choices.path.acting.add(position)
        function, trains_in = interp.frame.function, interp.world.relevance.trains_in
        if function is not None and function.query(trains_in):
            choices.path.pressing.add(position)
    elif _matters_elsewhere(interp, unknown, branch):
        choices.path.elsewhere = True
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


def _matters(interp: Interpreter, unknown: Unknown, branch: _Branch | None) -> bool:
    """Whether what a fault needs stands in a branch, so that both sides should be tried: not where
    the program ends on one of them."""
    source = interp.source
    if branch is None or interp.frame.firm or source is not interp.world.source:
        return False
    if PERIODIC in unknown.attributes:
        return False
    leads_to_fault = interp.world.relevance.leads_to_fault
    return interp.memoized("matters", branch, lambda node: leads_to_fault(source, node))


def _matters_elsewhere(interp: Interpreter, unknown: Unknown, branch: _Branch | None) -> bool:
    """Whether a fault may hang on a decision that is not one of an `if` of the file, or on what
    stands behind such an `if` in which a function is left, or gives a constant."""
    frame = interp.frame
    if frame.firm or PERIODIC in unknown.attributes:
        return False
    if branch is None or interp.source is not interp.world.source:
        return True  # of what a layer does by its options, which object it is, how its base goes on
    if frame is interp.harness_call and frame.function and frame.function.query(_gives_constant):
        return True  # what it gives is differentiated
    return any(_acts(interp, source, one) for source, one in _decided_on(interp))


def _decided_on(interp: Interpreter) -> Iterator[tuple[Source, ast.AST]]:
    """The code that a decision of an `if` decides on, with its file; an `if` of a caller that has
    called for it, too."""
    asking = next((one for one in interp.frames[-2::-1] if one.branch is not None), None)
    for frame in (interp.frame, asking):
        branch = frame.branch if frame is not None else None
        if frame is not None and branch is not None:
            yield frame.source, branch
            if frame.function is not None and _leaves(branch):
                yield frame.source, frame.function.node
    function = interp.frame.function
    if function is not None and function.query(_gives_constant) and len(interp.frames) > 1:
        yield from _body(interp, interp.frames[-2])


def _body(interp: Interpreter, frame: Frame) -> Iterator[tuple[Source, ast.AST]]:
    """The code of an activation: a function, or what the program that is run does itself."""
    if frame.function is not None:
        yield frame.source, frame.function.node
    elif interp.whole and frame.source is interp.world.source:
        statements = (one for one in frame.source.tree.body if not isinstance(one, _DEFINITIONS))
        yield from ((frame.source, one) for one in statements)


@query
def _leaves(node: ast.AST) -> bool:
    """Whether a loop or function is left in a branch: it decides on what comes behind as well."""
    return any(isinstance(part, (ast.Return, ast.Break, ast.Continue)) for part in walk(node))


@query
def _gives_constant(_: Source, node: ast.AST) -> bool:
    """Whether a function may return a constant, as it is or by a name, or a tensor of numbers."""
    parts = list(walk(node))
    given = [part.value for part in parts if isinstance(part, ast.Return)]
    named = {
        target.id
        for part in parts
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    return any(one is not None and _is_constant(one, named) for one in given)


def _is_constant(value: ast.expr, named: Container[str]) -> bool:
    if isinstance(value, ast.Constant):
        return value.value is not None
    if isinstance(value, ast.Name):
        return value.id in named
    calls = (part for part in walk(value) if isinstance(part, ast.Call))
    return any(code_of(one.func).rpartition(".")[2] in _NEW for one in calls)


def _acts(interp: Interpreter, source: Source, node: ast.AST) -> bool:
    """Whether what may concern code elsewhere stands below a node."""
    leads_to_act = interp.world.relevance.leads_to_act
    return interp.memoized("acts", node, lambda one: leads_to_act(source, one))
