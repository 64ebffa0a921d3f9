"""Functions without a finite derivative on the way of a gradient, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.places import Place


@dataclass(slots=True, eq=False, repr=False)
class Hazard:
    """A node whose derivative is infinite for some values of its argument.

    Which ones: those that a mask lays aside (`masked_at` is where it does), those at an `end` of
    the range of the function with that name, else zero. `made` is the call that made the node,
    `because` what has to hold for such values to come, `detail` says more of them (`pitfalls.py`).
    `repaired`: the program replaces what is no number in its results.
    """

    node: Node
    masked_at: Place | None
    made: Created
    because: Assumption | None
    repaired: bool = False
    detail: str = ""
    end: str = ""

    def kind(self) -> Pitfall:
        """What it is told as."""
        if self.masked_at is not None:
            return Pitfall.MASKED_SINGULARITY
        return Pitfall.SINGULAR_AT_END if self.end else Pitfall.SINGULAR_AT_ZERO


def required(hazard: Hazard) -> frozenset[Assumption]:
    """What has to hold for a gradient to go through the node.

    Who guards a division or a logarithm, or replaces what is no number, mostly has counts and
    frequencies: what the code is given is data there.
    """
    counted = not hazard.end and hazard.node.operator in ("div", "log")
    counted = counted or hazard.repaired
    assumed = hazard.node.requires
    return frozenset(one.as_data() for one in assumed) if counted else assumed
