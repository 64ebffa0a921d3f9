"""Losses that are given the result of another activation than the one they expect.

probabilities = softmax(scores)
loss = F.cross_entropy(probabilities, labels)     # takes the softmax of them once more
loss = F.nll_loss(probabilities, labels)          # wants logarithms

Sources: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html and the
pages of `NLLLoss`, `BCEWithLogitsLoss` and `KLDivLoss`
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import SHAPING
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import NO_LOGARITHM, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

MOVING = SHAPING | {"transpose", "permute", "contiguous", "float", "to", "getitem", "clone"}
SQUASHING = frozenset({"softmax", "Softmax", "Softmax2d", "sigmoid", "Sigmoid"})
SCORES = frozenset({"Linear", "linear", "Conv2d", "conv2d"})
# The losses that apply such a function themselves, and those that want logarithms.
APPLYING = frozenset(
    {"cross_entropy", "CrossEntropyLoss", "binary_cross_entropy_with_logits", "BCEWithLogitsLoss"}
)
WANTING = {
    "nll_loss": SQUASHING | SCORES,
    "NLLLoss": SQUASHING | SCORES,
    "kl_div": SQUASHING,
    "KLDivLoss": SQUASHING,
}
LOSSES = APPLYING.union(WANTING)
MULTIPLYING = frozenset({"mul", "rmul", "mul_"})


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A loss that `node` has computed the argument of: what it is told with, and where."""

    loss: str
    node: Node
    told: Place
    place: Place
    detail: str


@dataclass(slots=True, eq=False, repr=False)
class ActivationsTwice(Checker):
    """Looks at what each loss is given; `found` are those that are wrong, by the nodes of their
    results, `dropped` those that were multiplied by zero: they are switched off."""

    found: dict[int, _Found] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=LOSSES.__contains__)
        to.add(cls, OperatorRun, cls.multiplied, only=MULTIPLYING.__contains__, waits=True)

    def multiplied(self, interp: Interpreter, event: OperatorRun) -> None:
        """A product was taken: of a loss, with zero?"""
        operands = [event.operation.arguments.get(key) for key in "01"]
        if any(isinstance(one, (int, float)) and one == 0 for one in operands):
            tensors = event.operation.tensors()
            self.dropped.update(id(one.node) for one in tensors if one.node is not None)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """A loss was computed: of what?"""
        loss = event.operation.operator
        node, place = _behind(event.operation.at("0")), event.operation.place
        if node is None or place is None:
            return
        if loss in APPLYING and node.operator in SQUASHING:
            told, detail = node.place or place, ""
        elif node.operator in WANTING.get(loss, ()):
            told, detail = place if node.operator in SCORES else node.place or place, NO_LOGARITHM
        else:
            return
        for result in event.results:
            self.found[id(result.node)] = _Found(loss, node, told, place, detail)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of these losses count?"""
        for key, one in self.found.items():
            if key not in self.dropped:
                note(
                    interp,
                    Pitfall.ACTIVATION_TWICE,
                    one.told,
                    operator=one.loss,
                    tensor=one.node.operator,
                    detail=one.detail,
                    needed=Needed(one.place, one.loss),
                    built=one.node.created,
                    assumptions=one.node.requires,
                )


def _behind(given: Iterable[Tensor]) -> Node | None:
    """What has computed the first argument of a loss, over what only gives it another shape."""
    node = next((tensor.node for tensor in given), None)
    while node is not None and node.operator in MOVING and len(node.edges) == 1:
        node = node.edges[0]
    return node
