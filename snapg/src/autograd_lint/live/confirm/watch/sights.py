"""What was seen: a pitfall, and the rows of the program that took part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from autograd_lint.engine.pitfalls import Pitfall

Rows = frozenset[int]
NOWHERE: Rows = frozenset()
VISIBLE = frozenset(
    {
        Pitfall.ALIAS_FOR_COPY,
        Pitfall.ARGUMENT_OVERWRITTEN,
        Pitfall.CHECKPOINT_CUTS,
        Pitfall.CLIP_IN_VAIN,
        Pitfall.CONSTANT_TERM,
        Pitfall.CUT_IN_BACKWARD,
        Pitfall.FOREIGN_GRADIENT,
        Pitfall.FORWARD_CALLED,
        Pitfall.FREEZE_UNDONE,
        Pitfall.FROZEN_MOVES,
        Pitfall.GRADIENTS_PILE_UP,
        Pitfall.GRADIENT_CUT,
        Pitfall.GRADIENT_KEEPS_GRAPH,
        Pitfall.GRAPH_KEPT,
        Pitfall.GRAPH_UNDER_NO_GRAD,
        Pitfall.HOOK_MODIFIES,
        Pitfall.INPUT_UNUSED,
        Pitfall.KEPT_ON_CONTEXT,
        Pitfall.LOSS_REBUILT,
        Pitfall.MASKED_SINGULARITY,
        Pitfall.MISSING_ZERO_GRAD,
        Pitfall.MODE_LEAKS,
        Pitfall.MODE_NOT_INHERITED,
        Pitfall.NON_LEAF_GRAD,
        Pitfall.NOT_MARKED_DIRTY,
        Pitfall.NOT_OPTIMIZED,
        Pitfall.NO_GRADIENTS,
        Pitfall.NO_OPTIMIZER,
        Pitfall.OBSERVED_MODIFIED,
        Pitfall.PARAMETER_REBOUND,
        Pitfall.PENALTY_WITHOUT_GRAPH,
        Pitfall.SCALED_GRADIENTS,
        Pitfall.SCHEDULER_FIRST,
        Pitfall.SINGULAR_AT_ZERO,
        Pitfall.SNAPSHOT_OVERWRITTEN,
        Pitfall.STATE_OVERWRITTEN,
        Pitfall.STEP_BEFORE_BACKWARD,
        Pitfall.TARGET_LEARNS,
        Pitfall.TIED_APART,
        Pitfall.UNRECORDED_CHANGE,
        Pitfall.UNREGISTERED,
        Pitfall.USED_UP,
        Pitfall.WRITE_WITHOUT_DERIVATIVE,
        Pitfall.ZERO_GRAD_BEFORE_STEP,
    }
)
"""The pitfalls that the onlooker or the tracer sees; the others leave no trace in a run."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The real engine ran into a pitfall at these rows."""

    pitfall: Pitfall
    rows: Rows


@dataclass
class Sights:
    """All that was seen in one run; `rows` gives the rows of the program that run now."""

    rows: Callable[[], Rows]
    found: dict[Sight, None] = field(default_factory=dict)

    def add(self, pitfall: Pitfall, *parts: Iterable[int]) -> None:
        """Something was seen in which all these rows took part."""
        rows = frozenset(row for part in parts for row in part)
        self.found[Sight(pitfall, rows)] = None
