"""Batch normalization is put into evaluation mode before the loop, and `train()` in it undoes that.

freeze_bn(model)                # calls `eval()` of each batch normalization
for epoch in range(epochs):
    model.train()               # from here on their statistics move again
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import MODE_UNDONE, Pitfall
from autograd_lint.project.code import code_of, last_name
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.While
_LAYERS = "Norm"  # in what is asked of a layer before it is put into evaluation mode


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Calls of `train()` in loops that run backward, behind a call that has frozen the same model;
    a file in which a class says itself what `train()` does is left alone."""
    freezing = {one.name: made for one in source.each(ast.FunctionDef) if (made := _eval_in(one))}
    if not freezing or any(one.name == "train" for one in source.each(ast.FunctionDef)):
        return
    for block in (source.tree.body, *(one.body for one in source.each(ast.FunctionDef))):
        for position, statement in enumerate(block):
            name, model = _frozen_by(statement, freezing)
            if not name or _is_called_elsewhere(name, source, project):
                continue
            for undone in _undone(block[position + 1 :], name, model):
                yield _told(source, undone, model, freezing[name])


def _eval_in(function: Function) -> ast.Call | None:
    """The `eval()` of each layer of a kind, of a function that puts such layers into evaluation
    mode: of those of a model, or of the one that it is given (`model.apply(function)`)."""
    given = {one.arg for one in function.args.args}
    loops = [one for one in walk(function) if isinstance(one, ast.For)]
    layers = {part.id for loop in loops for part in walk(loop.target) if isinstance(part, ast.Name)}
    for branch in (one for one in walk(function) if isinstance(one, ast.If)):
        if _LAYERS not in code_of(branch.test):
            continue
        for call in (part for one in branch.body for part in walk(one)):
            if isinstance(call, ast.Call) and _is_eval(call, layers or given):
                return call
    return None


def _is_eval(call: ast.Call, names: set[str]) -> bool:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return last_name(call.func) == "eval" and isinstance(owner, ast.Name) and owner.id in names


def _frozen_by(statement: ast.stmt, freezing: dict[str, ast.Call]) -> tuple[str, str]:
    """The function that a statement freezes a model by, and the model; empty where it freezes
    none."""
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return "", ""
    called, given = call.func, call.args[0]
    if isinstance(called, ast.Name) and called.id in freezing:
        return called.id, code_of(given)
    applied = called.value if isinstance(called, ast.Attribute) and called.attr == "apply" else None
    if applied is not None and isinstance(given, ast.Name) and given.id in freezing:
        return given.id, code_of(applied)
    return "", ""


def _undone(following: list[ast.stmt], name: str, model: str) -> Iterator[ast.Call]:
    """The calls of `model.train()` in loops that train and do not freeze anew."""
    for loop in (one for one in following if isinstance(one, Loop)):
        calls = [part for part in walk(loop) if isinstance(part, ast.Call)]
        named = {last_name(call.func) for call in calls}
        again = any(isinstance(part, ast.Name) and part.id == name for part in walk(loop))
        if "backward" in named and not again:
            yield from (call for call in calls if _is_train(call, model))


def _is_train(call: ast.Call, model: str) -> bool:
    on = not call.args or (isinstance(call.args[0], ast.Constant) and call.args[0].value is True)
    return on and not call.keywords and code_of(call.func) == f"{model}.train"


def _is_called_elsewhere(name: str, source: Source, project: Project) -> bool:
    """Whether more than one place speaks of a function: what trains may freeze anew by it."""
    if any(one.filename != source.filename for one in project.speaking(name)):
        return True
    return sum(one.id == name for one in source.each(ast.Name)) > 1


def _told(source: Source, call: ast.Call, model: str, frozen: ast.Call) -> Fault:
    meant = Assumption(Kind.MEANT_TO_STAY, model, weight=0)
    return Fault(
        Pitfall.STATISTICS_DRIFT,
        source.place(call),
        tensor=model,
        detail=MODE_UNDONE,
        built=Created(source.place(frozen), "eval"),
        assumptions=frozenset({meant}),
    )
