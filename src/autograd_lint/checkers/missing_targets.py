"""Targets that are not a number in places which a mask leaves out after they were computed with.

known = ~torch.isnan(y)
loss = (model(x) - y).square()[known].mean()          # finite; its gradient is zero times NaN
loss = (model(x)[known] - y[known]).square().mean()   # what was meant
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.given_data import own_edges
from autograd_lint.checkers.intervals import SINGULAR
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.repairs import MASKING, Repairs, is_taken_for, mask_in, near
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import MISSING_TARGETS, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun, PassBegun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown

PICKING = {"getitem", "masked_select", *MASKING}
SKIPPING = {"nanmean", "nansum"}  # what is no number, by themselves
LOSSES = {
    *("mse_loss", "MSELoss", "smooth_l1_loss", "SmoothL1Loss", "huber_loss", "HuberLoss"),
    *("binary_cross_entropy_with_logits", "BCEWithLogitsLoss", "binary_cross_entropy", "BCELoss"),
}
COMPARING = {*LOSSES, "sub", "rsub"}
# Whose gradient is a product with values of their arguments: that of `abs` only has their sign.
MULTIPLYING = {*LOSSES, "square", "pow", "mul", "rmul", "div", "exp", "cosine_similarity"}
FACTORS = {"mul", "rmul", "div"}
FAILING = {*SINGULAR, "div"}  # that may make such values themselves


@dataclass(frozen=True, slots=True, eq=False)
class Spoilt:
    """An operator whose gradient is not a number where a target is none, and the mask behind it."""

    node: Node
    masked_at: Place | None
    mask: str


@dataclass(slots=True, eq=False, repr=False)
class MissingTargets(Checker):
    """The data that each node was `given`, and the operators that are `spoilt` by data without a
    number, by identity."""

    given: dict[int, tuple[Node, list[Tensor]]] = field(default_factory=dict)
    spoilt: dict[int, Spoilt] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran)
        to.add(cls, PassBegun, cls.passed)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: with which data, and is it one that leaves elements out?"""
        operation, result = event.operation, event.results[0] if event.results else None
        if result is None or result.node is None:
            return
        data = [one for one in operation.tensors() if _is_data(one)]
        if data:
            self.given[id(result.node)] = result.node, data
        for picked, tested in _left_out(operation, interp.state(Repairs)):
            culprit = self._culprit(picked, tested)
            if culprit is not None:
                self.spoilt[id(culprit)] = Spoilt(culprit, operation.place, operation.operator)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go through an operator whose data are no numbers?"""
        call = event.walk.call
        for node in event.walk.order if self.spoilt else ():
            spoilt = self.spoilt.get(id(node))
            if spoilt is not None and spoilt.node is node:
                aside = Assumption(Kind.CONDITION_LAYS_ASIDE, spoilt.mask, weight=0)
                note(
                    interp,
                    Pitfall.MASKED_SINGULARITY,
                    spoilt.masked_at,
                    operator=node.operator,
                    detail=MISSING_TARGETS,
                    built=Created(node.place, node.operator),
                    needed=Needed(call.place, call.name),
                    assumptions=call.assumptions | {aside},
                )

    def _culprit(self, picked: Tensor, tested: Tensor | Unknown | None) -> Node | None:
        """The operator behind a tensor whose gradient is a product with what is no number."""
        seen: list[Node] = []
        for node in near([picked.node] if picked.node is not None else []):
            seen.append(node)
            data = self.given.get(id(node), (node, []))[1]
            if tested is not None and any(is_taken_for(one, tested) for one in data):
                break
            own = tested is None or tested is picked
            if own and data and node.operator in COMPARING:
                break
            if own and node.operator in FAILING:
                return None
        else:
            return None
        return next((one for one in seen if self._spoils(one, seen[-1])), None)

    def _spoils(self, node: Node, compared: Node) -> bool:
        """Whether the gradient of an operator is a product with what is no number: a factor that is
        data, as a mask is, counts where it is the target that was compared."""
        if node.operator not in FACTORS or len(own_edges(node)) > 1 or node is compared:
            return node.operator in MULTIPLYING
        own, targets = (self.given.get(id(one), (one, []))[1] for one in (node, compared))
        return any(one is target for one in own for target in targets)


def _left_out(
    operation: Operation, repairs: Repairs
) -> Iterator[tuple[Tensor, Tensor | Unknown | None]]:
    """What an operator leaves elements out of, and what tells which of them are no numbers; None
    where the operator finds that out itself."""
    name, first = operation.operator, operation.arguments.get("0")
    if name in SKIPPING and isinstance(first, Tensor):
        yield first, None
    if name not in PICKING:
        return
    masks = [first] if name == "where" else [mask_in(operation.arguments.get("1"))]
    for test in filter(None, map(repairs.test, masks)):
        if test.holds():
            yield from ((one, test.value) for one in operation.at_all("012") if one.node)


def _is_data(tensor: Tensor) -> bool:
    """Whether a tensor holds data that may be no numbers."""
    if tensor.dtype not in ("float", None):
        return False
    return tensor.requires is None if tensor.node is None else tensor.node.opaque
