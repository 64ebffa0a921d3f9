"""Updates of parameters that a loop goes through, of which nothing is left: only a name is bound.

with torch.no_grad():
    for p, q in zip(average.parameters(), model.parameters()):
        p = 0.9 * p + 0.1 * q          # the next iteration binds p to another parameter
for p, q in zip(average.parameters(), model.parameters()):
    p = q.data.clone()                 # so here
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import LOST_UPDATE, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.callers import innermost_function
from autograd_lint.libraries.torch.modules.states import STATE
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import TensorRebound
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class LostUpdates(Checker):
    """Looks at names of loops that mean another tensor from now on."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TensorRebound, cls.rebound)

    def rebound(self, interp: Interpreter, event: TensorRebound) -> None:
        """A name that meant a parameter is about to mean what was computed from it."""
        old, new = event.before, event.value
        if new.storage is old.storage:
            return
        if not old.parameter and not _is_of_state(old):
            return
        if event.target in interp.query(interp.frame.source, _lost):
            place = interp.place(event.target)
            note(
                interp,
                Pitfall.PARAMETER_REBOUND,
                place,
                tensor=event.target.id,
                detail=LOST_UPDATE,
            )


def judge(source: Source) -> Iterator[Fault]:
    """The names that loops bind to something else in vain, whatever they mean."""
    for name in _lost(source):
        yield Fault(
            Pitfall.PARAMETER_REBOUND, source.place(name), tensor=name.id, detail=LOST_UPDATE
        )


def _is_of_state(tensor: Tensor) -> bool:
    """Whether a tensor is what `state_dict()` gave for a parameter."""
    return tensor.made is not None and tensor.made.operator == STATE


@query
def _lost(source: Source) -> frozenset[ast.Name]:
    """The names of loops that are bound to something else, and not read again."""
    found = ((name, loop) for loop in source.each(ast.For) for name in _lost_in(loop))
    return frozenset(name for name, loop in found if not _read_behind(source, loop, name.id))


def _read_behind(source: Source, loop: ast.For, name: str) -> bool:
    """Whether the function that a loop stands in, or else the file, reads a name behind it."""
    end = loop.end_lineno or 0
    around = innermost_function(source, loop.lineno) or source.tree
    return any(node.id == name and node.lineno > end for node in _reads(around.body))


def _lost_in(loop: ast.For) -> Iterator[ast.Name]:
    own = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    for statement in _statements(loop.body):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name):
            continue
        reads = [node for node in _reads(loop.body) if node.id == target.id]
        inside = set(ast.walk(statement.value))
        last = all(node in inside or node.lineno < statement.lineno for node in reads)
        if target.id in own and last:
            yield target


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop that run once in an iteration, those under conditions too."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.With)):
            yield from _statements(statement.body)
        if isinstance(statement, ast.If):
            yield from _statements(statement.orelse)


def _reads(body: list[ast.stmt]) -> Iterator[ast.Name]:
    """The names that a loop reads; what it defines may read them at any time. That an attribute of
    one is set (`p.grad = None`) changes nothing that is not read as well."""
    for statement in body:
        parts = [*ast.walk(statement)]
        kept = {part.value for part in parts if isinstance(part, ast.Attribute) and _is_set(part)}
        for part in parts:
            is_read = isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
            if isinstance(part, ast.Name) and is_read and part not in kept:
                yield part


def _is_set(part: ast.Attribute) -> bool:
    return isinstance(part.ctx, ast.Store)
