"""Executing statements."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable
from functools import partial

from autograd_lint.project.code import code_of, last_name
from autograd_lint.project.nodes import raises
from autograd_lint.project.query import query
from autograd_lint.vm import assignment
from autograd_lint.vm.augmented import run_augmented
from autograd_lint.vm.blocks import run_try, run_with
from autograd_lint.vm.classes import (
    decorated_by_program,
    define_class,
    define_function,
    define_later,
)
from autograd_lint.vm.control import (
    BreakLoop,
    ContinueLoop,
    ProgramRaises,
    ReturnValue,
)
from autograd_lint.vm.events import ExpressionStatementRun, LoopContinued, ReturnReached
from autograd_lint.vm.expressions import evaluate, evaluate_test
from autograd_lint.vm.frames import activations
from autograd_lint.vm.imports import run_import, run_import_from
from autograd_lint.vm.loops import run_for, run_while
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.matching import matches
from autograd_lint.vm.refusals import sides_without_refusal
from autograd_lint.vm.returned_numbers import remember_number
from autograd_lint.vm.truth import is_true, known_truth
from autograd_lint.vm.values import Class, External, Instance, Lazy, Unknown
from autograd_lint.vm.waiting import await_round

FEWEST_CASES = 3  # of one thing, for them to be all that there are
LAST_CASE = "last case"  # under which an `elif` is marked
Statement = Callable[[Interpreter, ast.stmt], None]


def run_block(interp: Interpreter, body: list[ast.stmt], following: ast.stmt | None = None) -> None:
    """Execute statements in order; `following` is what comes after them."""
    for position, statement in enumerate(body, 1):
        interp.budget.step()
        interp.record.reached.statements.add(statement)
        if isinstance(statement, ast.If):
            _if(interp, statement, body[position] if position < len(body) else following)
        else:
            STATEMENTS[type(statement)](interp, statement)


def _expression(interp: Interpreter, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        value = evaluate(interp, node.value)
        interp.emit(ExpressionStatementRun(node.value, value))
        if isinstance(node.value, ast.Attribute):
            interp.models.calls.not_called(interp, node.value, value)


def _if(interp: Interpreter, node: ast.If, following: ast.stmt | None) -> None:
    _mark_last_case(node)
    holds = _condition(interp, node, following)
    interp.record.reached.sides.add((node, holds))
    await_round(interp, node)
    run_block(interp, node.body if holds else node.orelse, following)


def _condition(interp: Interpreter, node: ast.If, following: ast.stmt | None) -> bool:
    frame = interp.frame
    before, firm = frame.branch, frame.firm
    frame.branch, frame.firm = node, _refuses(node)
    try:
        usual = interp.world.passed.get(node, interp.choices.path.wanted_sides.get(node))
        directed = usual is not None
        if usual is None:
            known = _ends_recursion(interp, node)
            known = _side_without_refusal(interp, node) if known is None else known
            usual = _usual(node, following) if known is None else known
        value = evaluate_test(interp, node.test, usual)
        if isinstance(value, Unknown) and not directed and LAST_CASE in vars(node):
            return True
        if node in frame.told and known_truth(value) is None:
            return frame.told[node]
        return is_true(interp, value, node.test, usual=usual)
    finally:
        frame.branch, frame.firm = before, firm


def _refuses(node: ast.If) -> bool:
    """Whether an `if` has no other side than one that raises."""
    return raises(node.body[-1]) and not node.orelse


@query
def _mark_last_case(node: ast.AST) -> None:
    """Mark the last `elif` of an `if` that asks one thing for its cases and has no `else`: it is
    taken where none of the others is."""
    assert isinstance(node, ast.If)
    cases = [node]
    while len(cases[-1].orelse) == 1 and isinstance(cases[-1].orelse[0], ast.If):
        cases.append(cases[-1].orelse[0])
    asked = {_asked(case.test) for case in cases}
    ends = len(cases) >= FEWEST_CASES and not cases[-1].orelse and len(asked) == 1
    if ends and None not in asked:
        vars(cases[-1])[LAST_CASE] = True


def _asked(test: ast.expr) -> str | None:
    """What a condition compares with a constant."""
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and len(test.ops) == 1:
        plain = isinstance(test.comparators[0], ast.Constant)
        return code_of(test.left) if plain else None
    return None


def _usual(node: ast.If, following: ast.stmt | None) -> bool:
    """The side of an unknown `if` to take first: not the one that leaves, or else raises; where
    both leave, not the one for which a value is missing."""
    if raises(following) and node.body and isinstance(node.body[-1], ast.Return):
        return True
    if not (leaves(node.body) and leaves(node.orelse)):
        return not leaves(node.body)
    refused = raises(node.body[-1]) or _is_missing(node.test)
    return raises(node.orelse[-1]) or not refused


def _is_missing(test: ast.expr) -> bool:
    """Whether a condition asks whether something is None."""
    compared = test.comparators[0] if isinstance(test, ast.Compare) else None
    is_none = isinstance(compared, ast.Constant) and compared.value is None
    return is_none and isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)


def _side_without_refusal(interp: Interpreter, node: ast.If) -> bool | None:
    """The side of an unknown `if` behind which the function does not raise further on."""
    frame = interp.frame
    if frame.function is None:
        return None
    return sides_without_refusal(frame.source, frame.function.node).get(node)


def _ends_recursion(interp: Interpreter, node: ast.If) -> bool | None:
    """The side of an unknown `if` on which a function that has called itself comes to an end."""
    function = interp.frame.function
    if function is None or activations(interp.frames, function) < 2:
        return None
    body, orelse = _call_itself(function.name, node)
    if body is not orelse:
        return orelse
    return True if not body and leaves(node.body) else None


@query
def _call_itself(name: str, node: ast.AST) -> tuple[bool, bool]:
    """Whether the two sides of an `if` call a function or method of that name."""
    assert isinstance(node, ast.If)
    return _calls(node.body, name), _calls(node.orelse, name)


def _calls(block: list[ast.stmt], name: str) -> bool:
    called = [part.func for one in block for part in ast.walk(one) if isinstance(part, ast.Call)]
    return any(last_name(one) == name for one in called)


def leaves(body: list[ast.stmt]) -> bool:
    """Whether a block ends by leaving the function or loop, or the program."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return code_of(last.value.func) in ("exit", "sys.exit", "quit", "os._exit")
    return raises(last) or isinstance(last, (ast.Return, ast.Continue, ast.Break))


def _return(interp: Interpreter, node: ast.Return) -> None:
    value = evaluate(interp, node.value) if node.value else None
    if node.value is not None:
        remember_number(interp, node.value, value)
    interp.emit(ReturnReached(value))
    raise ReturnValue(value)


def _raise(interp: Interpreter, node: ast.Raise) -> None:
    raise ProgramRaises(_exception_name(interp, node.exc))


def _exception_name(interp: Interpreter, node: ast.expr | None) -> str:
    if node is None:
        return ""
    value = evaluate(interp, node)
    cls = value.cls if isinstance(value, Instance) else value
    if isinstance(cls, Class):
        return cls.name
    return cls.path.rpartition(".")[2] if isinstance(cls, External) else ""


def _assert(interp: Interpreter, node: ast.Assert) -> None:
    if raises(node):
        raise ProgramRaises("AssertionError")
    # A failed assertion ends the program; the path that goes on is the one of interest.
    frame = interp.frame
    firm, frame.firm = frame.firm, True
    try:
        value = evaluate_test(interp, node.test, usual=True)
        is_true(interp, value, node.test, usual=True)
    finally:
        frame.firm = firm


def _delete(interp: Interpreter, node: ast.Delete) -> None:
    for target in node.targets:
        assignment.delete(interp, target)


def _global(interp: Interpreter, node: ast.Global) -> None:
    interp.frame.scope.global_names |= set(node.names)


def _nonlocal(interp: Interpreter, node: ast.Nonlocal) -> None:
    interp.frame.scope.nonlocal_names |= set(node.names)


def _break(interp: Interpreter, node: ast.Break) -> None:
    raise BreakLoop


def _continue(interp: Interpreter, node: ast.Continue) -> None:
    interp.emit(LoopContinued(node))
    raise ContinueLoop


def _function(interp: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    scope = interp.frame.scope
    if scope.module is None and decorated_by_program(scope, node):
        # Registries and the like: thousands of definitions that nothing asks for.
        scope.bind(node.name, Lazy(partial(define_later, scope, interp.source, node)))
    else:
        scope.bind(node.name, define_function(interp, node))


def _class(interp: Interpreter, node: ast.ClassDef) -> None:
    interp.frame.scope.bind(node.name, define_class(interp, node))


def _match(interp: Interpreter, node: ast.Match) -> None:
    """Take the first case whose pattern matches on this path, or that is known to be taken."""
    subject = evaluate(interp, node.subject)
    known = [case for case in node.cases if case in interp.world.passed]
    for case in known or node.cases:
        if matches(interp, case.pattern, subject) or case in known:
            run_block(interp, case.body)
            return


def _nothing(interp: Interpreter, node: ast.stmt) -> None:
    """`pass`, and what is not understood."""


STATEMENTS: dict[type[ast.AST], Callable[..., None]] = defaultdict(lambda: _nothing)
STATEMENTS |= {
    ast.Expr: _expression,
    ast.Assign: assignment.run_assign,
    ast.AnnAssign: assignment.run_annotated,
    ast.AugAssign: run_augmented,
    ast.For: run_for,
    ast.AsyncFor: run_for,
    ast.While: run_while,
    ast.With: run_with,
    ast.AsyncWith: run_with,
    ast.Try: run_try,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: run_import,
    ast.ImportFrom: run_import_from,
    ast.Match: _match,
}
if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = run_try
