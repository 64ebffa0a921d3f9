"""States that are loaded back, and were never kept: `state_dict()` copies nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import Loop, encloses, enclosing
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.inplace import write
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor, Write
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Value

STATE = "state_dict()"
LOADING = "load_state_dict"
ANOTHER_ROUND = frozenset({Assumption(Kind.LATER_ITERATION_KEEPS_NO_STATE, weight=0)})


def state_of(interp: Interpreter, parameter: Tensor, node: ast.AST) -> Tensor:
    """What `state_dict()` gives for a parameter: a detached tensor on its memory, as it is now."""
    kept = parameter.alias(parameter.storage)
    kept.name, kept.seen_version = parameter.name, parameter.storage.version
    kept.made = Created(interp.place(node), STATE)
    return kept


def restored(
    interp: Interpreter,
    parameter: Tensor,
    kept: Tensor,
    node: ast.AST,
    assumptions: frozenset[Assumption] = frozenset(),
) -> None:
    """A parameter is loaded from a state: does that hold anything else than the parameter does?"""
    storage = parameter.storage
    if kept.made is None or kept.made.operator != STATE or kept.storage is not storage:
        return
    writes = [write for write in storage.writes if write.event.version > kept.seen_version]
    if not writes:
        writes = _of_later_rounds(interp, kept.made.place, storage.writes)
        assumptions = assumptions | ANOTHER_ROUND
    if writes:
        note(
            interp,
            Pitfall.STATE_OVERWRITTEN,
            kept.made.place,
            tensor=parameter.name,
            modified=writes[0].event,
            needed=Needed(interp.place(node), LOADING),
            assumptions=assumptions | writes[0].assumptions,
        )


def written(tensors: Sequence[Tensor]) -> None:
    """Tensors were written: what is put into a state by its own tensors is meant to be in it."""
    for tensor in tensors:
        of_state = tensor.made is not None and tensor.made.operator == STATE
        if of_state and tensor.seen_version + 1 >= tensor.storage.version:
            tensor.seen_version = tensor.storage.version


def load(parameter: Tensor, source: Value, place: Place) -> None:
    """Write a parameter from a state; one that shares its memory is as it was."""
    storage = parameter.storage
    own = isinstance(source, Tensor) and source.storage is storage
    as_it_was = own and source.seen_version == storage.version
    write(parameter, LOADING, place)
    if as_it_was:
        source.seen_version = storage.version


def _of_later_rounds(
    interp: Interpreter, place: Place | None, writes: Sequence[Write]
) -> list[Write]:
    """The writes that the next round of a loop repeats, in which only some rounds keep a state."""
    if place is None or place.filename != interp.world.source.filename:
        return []
    around = enclosing(interp.world.source, place.row)
    open_ = {made.branch.row for made in interp.path.decisions if made.branch is not None}
    ifs = [part for part in around if isinstance(part, ast.If) and part.lineno in open_]
    branches = [part for part in ifs if not (_leaves(part) or _ends_period(part.test))]
    loops = [
        part
        for part in around
        if isinstance(part, Loop) and any(encloses(part, one.lineno) for one in branches)
    ]
    places = [(write, write.event.place) for write in writes]
    return [write for write, at in places if at and any(encloses(loop, at.row) for loop in loops)]


def _ends_period(test: ast.expr) -> bool:
    """Whether a condition holds in the last of every so many rounds: loops end with such a one.

    That is `n % 10 == 9`, and `(n + 1) % 10 == 0`.
    """
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(isinstance(part, ast.Compare) and _is_last_remainder(part) for part in parts)


def _is_last_remainder(node: ast.Compare) -> bool:
    remainder, other = node.left, node.comparators[0]
    if not isinstance(remainder, ast.BinOp) or not isinstance(remainder.op, ast.Mod):
        return False
    if not isinstance(node.ops[0], ast.Eq) or not isinstance(other, ast.Constant):
        return False
    every, counted = remainder.right, isinstance(remainder.left, ast.BinOp)
    if counted or not isinstance(every, ast.Constant):
        return counted and other.value == 0
    return isinstance(every.value, int) and other.value == every.value - 1


def _leaves(branch: ast.If) -> bool:
    """Whether a branch ends the loop: there is no later round then."""
    return any(isinstance(part, (ast.Break, ast.Return)) for part in ast.walk(branch))
