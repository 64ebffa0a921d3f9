"""The operator at which a gradient stops being a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import EMPTY_ROWS, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.calls import Call
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_MOST_NODES = 20_000
_MASKING = ("WhereBackward", "MaskedFillBackward", "IndexBackward", "MaskedScatterBackward")


def _zero(value: torch.Tensor) -> bool:
    return bool((value == 0).any())


def _one(value: torch.Tensor) -> bool:
    return bool((value.abs() >= 1).any())


def _infinite(value: torch.Tensor) -> bool:
    return bool(value.isinf().any())


def _empty_row(value: torch.Tensor) -> bool:
    return bool(value.isnan().any())


# What a node keeps, and where its derivative is not finite.
# Source: derivatives.yaml of torch (sqrt: grad / (2 * result), log: grad / self, ...).
_SINGULAR: dict[str, tuple[str, Callable[[torch.Tensor], bool]]] = {
    "SqrtBackward": ("result", _zero),
    "RsqrtBackward": ("result", _infinite),
    "LogBackward": ("self", _zero),
    "Log2Backward": ("self", _zero),
    "Log10Backward": ("self", _zero),
    "DivBackward": ("other", _zero),
    "ReciprocalBackward": ("result", _infinite),
    "AcosBackward": ("self", _one),
    "AsinBackward": ("self", _one),
    "StdBackward": ("result", _zero),
    "SoftmaxBackward": ("result", _empty_row),
    "LogSoftmaxBackward": ("result", _empty_row),
    "ExpBackward": ("result", _infinite),
    "Exp2Backward": ("result", _infinite),
    "Expm1Backward": ("result", _infinite),
}
_OVERFLOWING = ("exp", "exp2", "expm1")  # to infinity, where nothing but a mask makes NaN of it


@dataclass(frozen=True, slots=True)
class _Suspect:
    """An operator that has no finite derivative: where a mask is, and whether it gave NaN."""

    operator: str
    site: Site
    masked: Site | None
    gave_nan: bool


class NonFinite:
    """Looks at roots before and at gradients after each backward that is observed, on the CPU."""

    __slots__ = ("_is_root_nan", "_suspects", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._suspects: list[_Suspect] = []
        self._is_root_nan = False

    def before_backward(self, walk: Walk) -> None:
        """What it saved is still there: where may a derivative not be finite?"""
        self._suspects = []
        if len(walk.nodes) > _MOST_NODES:
            return
        masks = [node for node in walk.nodes if graph.name_of(node).startswith(_MASKING)]
        for node in walk.nodes:
            if _is_singular(node, self._told.record.has_packed):
                self._suspect(node, masks)
        self._is_root_nan = bool(self._suspects) and any(map(_is_nan, walk.roots))

    def after_backward(self, call: Call, filled: Iterable[torch.Tensor]) -> None:
        """Gradients are filled."""
        suspects, self._suspects = self._suspects, []
        if not suspects:
            return
        if not any(_is_not_finite(one.grad) for one in filled):  # it is lost in a mask, perhaps
            suspects = [one for one in suspects if self._is_root_nan and one.gave_nan]
        for one in suspects[:1]:
            if one.masked is not None:
                built = Created(place_of(one.site), one.operator)
                self._told.tell(
                    Pitfall.MASKED_SINGULARITY, one.masked, operator=one.operator, built=built
                )
            else:
                needed = Needed(place_of(call.site), call.name)
                self._told.tell(
                    Pitfall.SINGULAR_AT_ZERO, one.site, operator=one.operator, needed=needed
                )

    def _suspect(self, node: Any, masks: list[Any]) -> None:
        birth = birth_of(node, self._told.record)
        if birth is None or birth.site is None:
            return
        masked = next((mask for mask in masks if node in graph.nodes_below([mask])), None)
        mask = None if masked is None else birth_of(masked, self._told.record)
        site = mask.site if mask is not None else None
        operator, hooks = graph.operator_of(node), self._told.record.has_packed
        gave_nan = operator in EMPTY_ROWS
        if gave_nan and _was_given_nan(node, hooks):
            return
        if site is not None or operator not in _OVERFLOWING:
            self._suspects.append(_Suspect(operator, birth.site, site, gave_nan))


def _is_singular(node: Any, hooks: bool) -> bool:
    name = re.sub(r"\d+$", "", graph.name_of(node))
    attribute, test = _SINGULAR.get(name, ("", _zero))
    if not attribute:
        return False
    for slot in graph.slots_of(node, hooks):
        value = slot.tensor
        if slot.attribute == attribute and value is not None and value.device.type == "cpu":
            return value.layout == torch.strided and test(value.detach())
    return False


def _was_given_nan(node: Any, hooks: bool) -> bool:
    """Whether there was NaN before an operator gave any, as far as the graph below it tells."""
    below = graph.nodes_below([node])[1:]
    saved = (slot.tensor for one in below for slot in graph.slots_of(one, hooks))
    return any(one is not None and _is_nan(one) for one in (*graph.leaves_in(below), *saved))


def _is_nan(tensor: torch.Tensor) -> bool:
    return _is_looked_at(tensor) and bool(tensor.detach().isnan().any())


def _is_not_finite(gradient: torch.Tensor | None) -> bool:
    if gradient is None or not _is_looked_at(gradient):
        return False
    return not bool(gradient.detach().isfinite().all())


def _is_looked_at(tensor: torch.Tensor) -> bool:
    return tensor.device.type == "cpu" and tensor.layout == torch.strided
