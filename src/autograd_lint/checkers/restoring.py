"""States that are loaded back, and were never kept: `state_dict()` copies nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import Loop, encloses, enclosing
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Write
from autograd_lint.libraries.torch.events import StateLoaded
from autograd_lint.libraries.torch.modules.states import LOADING, STATE
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ANOTHER_ROUND = frozenset({Assumption(Kind.LATER_ITERATION_KEEPS_NO_STATE, weight=0)})


class Restoring(Checker):
    """Looks at each parameter that is loaded from a state."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StateLoaded, cls.restored)

    def restored(self, interp: Interpreter, event: StateLoaded) -> None:
        """A parameter is loaded: does the state hold anything else than the parameter does?"""
        parameter, kept = event.parameter, event.state
        assumptions = event.assumptions
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
                needed=Needed(interp.place(event.node), LOADING),
                assumptions=assumptions | writes[0].assumptions,
            )


def _of_later_rounds(
    interp: Interpreter, place: Place | None, writes: Sequence[Write]
) -> list[Write]:
    """The writes that the next round of a loop repeats, in which only some rounds keep a state."""
    if place is None or place.filename != interp.world.source.filename:
        return []
    around = enclosing(interp.world.source, place.row)
    open_ = {made.branch.row for made in interp.choices.path.decisions if made.branch is not None}
    ifs = [part for part in around if isinstance(part, ast.If) and part.lineno in open_]
    branches = [part for part in ifs if not (_leaves(part, place.row) or _ends_period(part.test))]
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


def _leaves(branch: ast.If, row: int) -> bool:
    """Whether the side of a branch with a row ends the loop: there is no later iteration then."""
    side = branch.body if encloses(branch, row) else branch.orelse
    return any(isinstance(part, (ast.Break, ast.Return)) for one in side for part in ast.walk(one))
