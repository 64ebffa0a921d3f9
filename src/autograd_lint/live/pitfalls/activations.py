"""Losses of scores that are given what a `softmax` or a `sigmoid` has made of them already."""

from __future__ import annotations

from typing import Any

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import NO_LOGARITHM, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk

_WITH_LOGITS = "binary_cross_entropy_with_logits"
# The operators from the loss down to what has made probabilities of the scores.
_TWICE = {
    "nll_loss": ("cross_entropy", ("log_softmax", "softmax")),
    "nll_loss2d": ("cross_entropy", ("log_softmax", "softmax")),
    _WITH_LOGITS: (_WITH_LOGITS, ("sigmoid",)),
}
_OF_LOGARITHMS = ("nll_loss", "nll_loss2d")
_PROBABILITIES = ("sigmoid", "softmax")
_SHAPING = frozenset({"reshape", "squeeze", "transpose", "unsafe_view", "unsqueeze", "view"})


class Activations(Family):
    """Looks for what was activated before a loss does so; keeps nothing."""

    __slots__ = ("_told",)

    def __init__(self, told: Told) -> None:
        self._told = told

    def look(self, walk: Walk) -> None:
        """A call of the engine begins that is looked at closely."""
        for node in walk.of(_OF_LOGARITHMS):
            self._look_at_logarithms(node)
        for node in walk.of(_TWICE):
            loss, chain = _TWICE[graph.operator_of(node)]
            first = _end_of(node, chain) if chain else None
            birth = birth_of(first, self._told.record) if first is not None else None
            if birth is not None:
                last = birth_of(node, self._told.record)
                needed = Needed(place_of(last.site), loss) if last is not None else None
                self._told.tell(
                    Pitfall.ACTIVATION_TWICE,
                    birth.site,
                    operator=loss,
                    tensor=chain[-1],
                    needed=needed,
                )

    def _look_at_logarithms(self, node: Any) -> None:
        """A loss is given what is to be the logarithms of probabilities: or these themselves?"""
        for operator in _PROBABILITIES:
            first = _end_of(node, (operator,))
            birth = birth_of(first, self._told.record) if first is not None else None
            last = birth_of(node, self._told.record)
            if birth is not None and last is not None:
                self._told.tell(
                    Pitfall.ACTIVATION_TWICE,
                    birth.site,
                    operator="nll_loss",
                    tensor=operator,
                    detail=NO_LOGARITHM,
                    needed=Needed(place_of(last.site), "nll_loss"),
                )


def _end_of(node: Any, chain: tuple[str, ...]) -> Any:
    """The last node of a chain of operators below a node, over what only gives another shape; None
    where another operator comes between."""
    for operator in chain:
        node = next(iter(graph.edges_of(node)), None)
        while node is not None and graph.operator_of(node) in _SHAPING:
            node = next(iter(graph.edges_of(node)), None)
        if node is None or graph.operator_of(node) != operator:
            return None
    return node
