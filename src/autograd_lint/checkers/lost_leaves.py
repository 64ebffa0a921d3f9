"""Noting that the gradient of a leaf is cut, and which leaf that is in other runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from autograd_lint.checkers.leaf_record import wanted_leaves
from autograd_lint.checkers.noting import Facts, note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter

if TYPE_CHECKING:
    from typing_extensions import Unpack


def note_cut(
    interp: Interpreter, place: Place | None, leaf: Tensor, **facts: Unpack[Facts]
) -> None:
    """Note at `place` that no gradient reaches `leaf`, with its position among the leaves that are
    to be trained: another run over the same program may give it one."""
    note(interp, Pitfall.GRADIENT_CUT, place, leaf=leaf, **facts)
    if place is not None:
        for position in positions(interp, {id(leaf)}):
            interp.engine.backward.cut[place] = position


def positions(interp: Interpreter, leaves: Collection[int]) -> frozenset[int]:
    """The positions of some leaves, given by identity, among those that are to be trained."""
    return frozenset(at for at, leaf in enumerate(wanted_leaves(interp)) if leaf in leaves)
