"""Learning-rate schedulers that never step: a function makes one, and nothing is done with it.

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=30)
for epoch in range(90):
    train_one_epoch(model, optimizer)           # scheduler.step() is missing

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import Bound, body, path_of
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_SCHEDULERS = "torch.optim.lr_scheduler."
# What only reads a scheduler, or takes up where it was.
_READING = frozenset({"get_last_lr", "get_lr", "state_dict", "load_state_dict"})


def judge(source: Source) -> Iterator[Fault]:
    """In each function that trains: which of its schedulers is never stepped, nor handed over?"""
    for function in (source.tree, *source.each(ast.FunctionDef)):
        for bound in _schedulers(source, function):
            if _steps(function, _optimizer(bound.value)) and not _is_used(function, bound.path):
                yield Fault(
                    Pitfall.NEVER_SCHEDULED, source.place(bound.statement), tensor=bound.path
                )


def _schedulers(source: Source, function: ast.AST) -> Iterator[Bound]:
    """The schedulers that a function makes and gives a name."""
    for bound in body(function).assigned():
        called = bound.value.func if isinstance(bound.value, ast.Call) else None
        is_made = called is not None and path_in(source, called).startswith(_SCHEDULERS)
        if is_made and isinstance(bound.target, ast.Name):
            yield bound


def _optimizer(made: ast.expr) -> str:
    """The name of the optimizer that a scheduler is made for."""
    return path_of(made.args[0]) if isinstance(made, ast.Call) and made.args else ""


def _steps(function: ast.AST, optimizer: str) -> bool:
    """Whether a function steps the optimizer in a loop, or hands it over there."""
    loops = (one for one in walk(function) if isinstance(one, (ast.For, ast.While)))
    calls = (call for loop in loops for call in body(loop).calls)
    return bool(optimizer) and any(
        (call.owner == optimizer and call.method == "step")
        or any(path_of(one) == optimizer for one in call.given)
        for call in calls
    )


def _is_used(function: ast.AST, name: str) -> bool:
    """Whether a function does anything else with a scheduler than to read it."""
    reading = {
        id(call.node.func.value)
        for call in body(function).calls
        if call.method in _READING and isinstance(call.node.func, ast.Attribute)
    }
    return any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Load)
        and id(part) not in reading
        for part in walk(function)
    )
