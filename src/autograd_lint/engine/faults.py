"""Faults: what the real engine would raise, with every event that leads to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created, Freed, Modified, Needed, Noted, Saved
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Found
from autograd_lint.places import Place


class FaultKind(Enum):
    """The classes of error; the values are the contract's `predicts.error`."""

    LEAF_MODIFIED = "leaf-modified"
    LEAF_VIEW_MODIFIED = "leaf-view-modified"
    VIEW_MODIFIED = "view-modified"
    SAVED_TENSOR_MODIFIED = "saved-tensor-modified"
    GRAPH_FREED = "graph-freed"
    NO_GRAD_ROOT = "no-grad-root"
    NON_SCALAR_ROOT = "non-scalar-root"
    UNUSED_INPUT = "unused-input"
    NON_LEAF_OPTIMIZER = "non-leaf-optimizer"
    NUMPY_ON_GRAD = "numpy-on-grad"
    INFERENCE_TENSOR = "inference-tensor"
    NON_LEAF_FLAG = "non-leaf-flag"
    RETAIN_GRAD = "retain-grad"
    CUSTOM_FUNCTION = "custom-function"
    OTHER = "other"


# The detail of what a `DataLoader` with workers refuses.
STACKED_BY_WORKER = (
    "a worker process stacks its batches into shared memory, which autograd does not support"
)
# The operator of a fault about a `.grad` that is None.
ABSENT_GRADIENT = "absent gradient"
# Refusals of the statement that writes.
_AT_A_WRITE = {FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED, FaultKind.VIEW_MODIFIED}


class Meant(Enum):
    """Which of two backwards through one graph is not to train what it was built with."""

    FIRST = "the first backward"
    SECOND = "the second backward"


@dataclass(frozen=True, slots=True)
class Fault:
    """One error that the engine would raise, or a pitfall that it accepts.

    `place` is where the engine raises (the innermost line of the user's code), None when the
    raising call is that of the canonical training step. `tensor` is what the program calls the
    tensor at fault, `called` what a reader does where that is longer (`net.head.weight`),
    `operator` the operator at fault (the writer for modified leaves, the producer for roots without
    grad). `carried` says that the graph at fault was built in an earlier iteration, step or call
    than the one that needs it. `noted` are further places that led to it; `warned` says that torch
    only warns. `handed` is the call by which a function was given the tensors at fault. `caller` is
    the call, in the file that is run, by which the program came to the code of another file in
    which it went wrong; None where that is the file that is run. `behind` is the place of an error
    that comes first under the same assumptions: the run went on as if it were fixed. `also` are
    faults that are the same mistake, `meant` says of a graph that is needed again which backward is
    rather to be cut off from it. `steps` is how much the analysis had run when it began the run
    that shows it. `found` is the saved tensor as backward finds it, where its version is at fault.
    `signals` name what the project shows for or against it.
    """

    kind: FaultKind | Pitfall
    place: Place | None
    tensor: str | None = None
    operator: str = ""
    detail: str = ""
    built: Created | None = None
    saved: Saved | None = None
    modified: Modified | None = None
    freed: Freed | None = None
    needed: Needed | None = None
    carried: bool = False
    handed: Place | None = None
    caller: Place | None = None
    assumptions: frozenset[Assumption] = frozenset()
    noted: tuple[Noted, ...] = ()
    warned: bool = False
    behind: Place | None = None
    also: tuple[Fault, ...] = ()
    meant: Meant | None = None
    steps: int = 0
    found: Found | None = None
    signals: frozenset[str] = frozenset()
    called: str | None = None

    @property
    def cause(self) -> tuple[object, ...]:
        """What is the same for all errors that one mistake leads to.

        Whatever a write ruins, the write is the mistake; a backward that needs a freed graph needs
        all of it; what was made under inference mode, or in a way that an operator refuses, is
        refused everywhere; writes that are chained on one line are one statement.
        """
        if self.kind is FaultKind.SAVED_TENSOR_MODIFIED and self.modified is not None:
            return (self.kind, self.modified.place)
        if self.kind is FaultKind.GRAPH_FREED and self.freed is not None:
            return (self.kind, self.place, self.freed.place)
        if self.kind is FaultKind.INFERENCE_TENSOR and self.built is not None:
            return (self.kind, self.built.place)
        if self.kind is FaultKind.OTHER and self.built is not None:
            return (self.kind, self.operator, self.detail, self.built.place)
        if self.kind in _AT_A_WRITE and self.place is not None:
            return (self.kind, self.place.filename, self.place.row)
        return (self.kind, self.place)

    def shows(self, pitfall: Pitfall) -> bool:
        """Whether a pitfall of that sort is the same mistake."""
        return any(one.kind is pitfall for one in self.also)

    def follows(self, earlier: Fault) -> bool:
        """Whether an error is there because of one told before: it has the same cause, or is what
        becomes of the write of an operator that has no derivative."""
        written, built = self.modified, earlier.built
        if self.cause == earlier.cause or self._leads_from(earlier):
            return True
        if written is None or built is None:
            return False
        return (written.place, written.operator) == (built.place, built.operator)

    def _leads_from(self, earlier: Fault) -> bool:
        """Whether a root has no graph because of what NumPy was given, or of what left a tensor
        without a gradient to retain, which is told."""
        if self.kind is not FaultKind.NO_GRAD_ROOT or self.built is None:
            return False
        if earlier.kind is FaultKind.RETAIN_GRAD and earlier.built is not None:
            return earlier.built.place == self.built.place
        return earlier.kind is FaultKind.NUMPY_ON_GRAD and earlier.place == self.built.place

    @property
    def premises(self) -> frozenset[Assumption]:
        """What it rests on: all that is assumed, but for what is proven."""
        return frozenset(one for one in self.assumptions if not one.proven)

    @property
    def weight(self) -> int:
        """How much is assumed in all, by the priors of what it rests on."""
        return sum(assumption.weight for assumption in self.premises)


def places(fault: Fault) -> tuple[Place | None, ...]:
    """Every place that a fault speaks of."""
    events = (fault.built, fault.saved, fault.modified, fault.freed, fault.needed)
    return (fault.place, *(event.place if event else None for event in events))
