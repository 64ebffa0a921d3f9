"""Functions without a finite derivative on the way of a gradient, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.proofs import passes_all_gradients
from autograd_lint.places import Place


@dataclass(slots=True, eq=False)
class Hazard:
    """A node with an infinite derivative for some values: those that a mask lays aside, or zero;
    `repaired`: those for which it gave no number, as a test of its results says."""

    node: Node
    masked_at: Place | None
    made: Created
    because: Assumption | None
    repaired: bool = False
    detail: str = ""


def differentiated(hazard: Hazard, walk: Pass) -> frozenset[Assumption]:
    """What a function gets a gradient by in a backward. Where there is no way around it, that
    depends on nothing but the backward, which callers run if the code itself does not.

    What the code is given may be anything: who guards a division, or a logarithm, or mends what is
    no number, mostly has counts and frequencies.
    """
    node, run = hazard.node, walk.call.assumptions
    if hazard.repaired or node.operator in ("div", "log"):
        return run | frozenset(one.as_data() for one in node.requires)
    if not passes_all_gradients(node, walk.starts):
        return run | node.requires
    return frozenset(replace(one, called=True) for one in run)
