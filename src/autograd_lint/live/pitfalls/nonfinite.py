"""The operator at which a gradient stops being a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from string import digits
from typing import Any

import torch

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import (
    EMPTY_ROWS,
    MISSING_TARGETS,
    NEGATIVE,
    ONE_ELEMENT,
    OVERFLOW,
    REPEATED,
    Pitfall,
)
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.scaled import Scaled
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_MOST_NODES = 20_000
_MASKING = ("WhereBackward", "MaskedFillBackward", "IndexBackward", "MaskedScatterBackward")


def _zero(value: torch.Tensor) -> bool:
    return bool((value == 0).any())


def _zero_or_nan(value: torch.Tensor) -> bool:
    return _zero(value) or _nan(value)


def _not_finite(value: torch.Tensor) -> bool:
    return not bool(value.isfinite().all())


def _one(value: torch.Tensor) -> bool:
    return bool((value.abs() >= 1).any())


def _infinite(value: torch.Tensor) -> bool:
    return bool(value.isinf().any())


def _nan(value: torch.Tensor) -> bool:
    return bool(value.isnan().any())


def _at_most_one(value: torch.Tensor) -> bool:
    return bool((value <= 1).any())


def _at_most_minus_one(value: torch.Tensor) -> bool:
    return bool((value <= -1).any())


def _at_ends(value: torch.Tensor) -> bool:
    return bool(((value <= 0) | (value >= 1)).any())


def _repeats(value: torch.Tensor) -> bool:
    return bool((value.diff(dim=-1) == 0).any())


# What a node keeps, and where its derivative is not finite.
# Source: derivatives.yaml of torch (sqrt: grad / (2 * result), log: grad / self, ...).
_SINGULAR: dict[str, tuple[str, Callable[[torch.Tensor], bool]]] = {
    "SqrtBackward": ("result", _zero_or_nan),
    "RsqrtBackward": ("result", _not_finite),
    "LogBackward": ("self", _zero),
    "Log2Backward": ("self", _zero),
    "Log10Backward": ("self", _zero),
    "DivBackward": ("other", _zero),
    "ReciprocalBackward": ("result", _infinite),
    "AcosBackward": ("self", _one),
    "AsinBackward": ("self", _one),
    "AtanhBackward": ("self", _one),
    "ErfinvBackward": ("self", _one),
    "AcoshBackward": ("self", _at_most_one),
    "Log1PBackward": ("self", _at_most_minus_one),
    "LogitBackward": ("self", _at_ends),
    "XlogyBackward": ("other", _zero),
    "StdBackward": ("result", _zero_or_nan),
    "SoftmaxBackward": ("result", _nan),
    "LogSoftmaxBackward": ("result", _nan),
    "ExpBackward": ("result", _infinite),
    "LinalgEighBackward": ("eigenvalues", _repeats),
    "LinalgSvdBackward": ("S", _repeats),
    "Exp2Backward": ("result", _infinite),
    "Expm1Backward": ("result", _infinite),
}
_SPECTRAL = ("linalg_eigh", "linalg_svd")  # whose vectors are not unique for equal values
_COMPARING = ("mul", "pow")  # of data that is not a number somewhere
_OVERFLOWING = ("exp", "exp2", "expm1")  # to infinity, of which something else makes NaN, perhaps


@dataclass(frozen=True, slots=True)
class _Suspect:
    """An operator that has no finite derivative: where a mask is, whether it gave NaN, and what is
    the matter where it is not differentiated at zero."""

    operator: str
    site: Site
    masked: Site | None
    gave_nan: bool
    detail: str = ""


class NonFinite(Family):
    """Looks at roots before and at gradients after each backward that is observed, on the CPU."""

    __slots__ = ("_is_root_nan", "_scaled", "_suspects", "_told")

    def __init__(self, told: Told, scaled: Scaled) -> None:
        self._told = told
        self._scaled = scaled
        self._suspects: list[_Suspect] = []
        self._is_root_nan = False

    def look(self, walk: Walk) -> None:
        """What it saved is still there: where may a derivative not be finite?"""
        self._suspects = []
        if not walk.accumulates or len(walk.nodes) > _MOST_NODES:
            return
        masks = [node for node in walk.nodes if graph.name_of(node).startswith(_MASKING)]
        for node in walk.nodes:
            if _is_singular(node, self._told.record.has_packed):
                self._suspect(node, masks)
        self._is_root_nan = any(map(_is_nan, walk.roots)) if self._suspects or masks else False
        missing = walk.of(_COMPARING) if masks and not self._is_root_nan else ()
        for node in missing:  # else what is not a number goes on to the root
            if _is_of_missing(node, self._told.record.has_packed):
                self._suspect(node, masks)

    def after_backward(self, walked: Walked) -> None:
        """Gradients are filled."""
        suspects, self._suspects = self._suspects, []
        if not suspects or self._scaled.is_used:  # a scaler expects them, and skips the step
            return
        if not any(
            is_not_finite(one.grad) for one in walked.tensors
        ):  # it is lost in a mask, perhaps
            suspects = [one for one in suspects if self._is_root_nan and one.gave_nan]
        suspects.sort(key=lambda one: one.detail == OVERFLOW and one.masked is None)
        for one in suspects[:1]:
            if one.masked is not None:
                built = Created(place_of(one.site), one.operator)
                self._told.tell(
                    Pitfall.MASKED_SINGULARITY,
                    one.masked,
                    operator=one.operator,
                    detail=MISSING_TARGETS if one.detail == MISSING_TARGETS else "",
                    built=built,
                )
            else:
                needed = Needed(place_of(walked.call.site), walked.call.name)
                self._told.tell(
                    Pitfall.SINGULAR_AT_ZERO,
                    one.site,
                    operator=one.operator,
                    detail=one.detail,
                    needed=needed,
                )

    def _suspect(self, node: Any, masks: list[Any]) -> None:
        birth = birth_of(node, self._told.record)
        if birth is None or birth.site is None:
            return
        masked = next((mask for mask in masks if node in graph.nodes_below([mask])), None)
        mask = None if masked is None else birth_of(masked, self._told.record)
        site = mask.site if mask is not None else None
        operator, hooks = graph.operator_of(node), self._told.record.has_packed
        detail = _detail(node, hooks)
        gave_nan = operator in EMPTY_ROWS or detail in (NEGATIVE, ONE_ELEMENT)
        if gave_nan and _was_given_nan(node, hooks):
            return
        self._suspects.append(_Suspect(operator, birth.site, site, gave_nan, detail))


def _detail(node: Any, hooks: bool) -> str:
    """What is the matter with an operator that is not differentiated at zero."""
    operator = graph.operator_of(node)
    if operator in _OVERFLOWING:
        return OVERFLOW
    if operator in _SPECTRAL:
        return REPEATED
    if operator in _COMPARING and _is_of_missing(node, hooks):
        return MISSING_TARGETS
    if operator == "var" or (operator == "std" and _is_of_one(node)):
        return ONE_ELEMENT
    results = (slot for slot in graph.slots_of(node, hooks) if slot.attribute == "result")
    is_root = operator in ("sqrt", "rsqrt")
    if is_root and any(one.tensor is not None and _is_nan(one.tensor) for one in results):
        return NEGATIVE
    return ""


def _is_of_missing(node: Any, hooks: bool) -> bool:
    """Whether a square, or another product, is given what is not a number somewhere."""
    slots = graph.slots_of(node, hooks)
    return any(slot.tensor is not None and _is_nan(slot.tensor) for slot in slots)


def _is_of_one(node: Any) -> bool:
    """Whether a deviation is taken over so few elements that it is divided by zero."""
    given = _saved_self(node)
    if given is None:
        return False
    along = node._saved_dim or range(given.dim())
    count = math.prod(given.shape[one] for one in along)
    correction = node._saved_correction
    return bool(count <= (1 if correction is None else correction))


def _is_singular_power(node: Any) -> bool:
    """Whether a power that is no whole number is taken of zero, or a negative one."""
    exponent = node._saved_exponent
    if not isinstance(exponent, (int, float)) or exponent >= 1 or exponent == 0:
        return False
    value = _saved_self(node)
    return value is not None and _is_looked_at(value) and _zero(value.detach())


def _saved_self(node: Any) -> torch.Tensor | None:
    """What an operator was applied to, unchecked."""
    slots = (slot.tensor for slot in graph.slots_of(node) if slot.attribute == "self")
    return next(slots, None)


def _is_singular(node: Any, hooks: bool) -> bool:
    name = graph.name_of(node)
    special = _SPECIAL.get(name)
    if special is not None:
        return not hooks and special(node)
    attribute, test = _SINGULAR.get(name.rstrip(digits), ("", _zero))
    if not attribute:
        return False
    for slot in graph.slots_of(node, hooks):
        value = slot.tensor
        if slot.attribute == attribute and value is not None and value.device.type == "cpu":
            return value.layout == torch.strided and test(value.detach())
    return False


_SPECIAL = {
    "PowBackward0": _is_singular_power,
    "VarBackward0": _is_of_one,
}


def _was_given_nan(node: Any, hooks: bool) -> bool:
    """Whether there was NaN before an operator gave any, as far as the graph below it tells."""
    below = graph.nodes_below([node])[1:]
    saved = (slot.tensor for one in below for slot in graph.slots_of(one, hooks))
    return any(one is not None and _is_nan(one) for one in (*graph.leaves_in(below), *saved))


def _is_nan(tensor: torch.Tensor) -> bool:
    return _is_looked_at(tensor) and bool(tensor.detach().isnan().any())


def is_not_finite(gradient: torch.Tensor | None) -> bool:
    """Whether a gradient has an element that is infinite or NaN; on a GPU, where to look means to
    wait, that is not asked."""
    if gradient is None or not _is_looked_at(gradient):
        return False
    return not bool(gradient.detach().isfinite().all())


def _is_looked_at(tensor: torch.Tensor) -> bool:
    return tensor.device.type == "cpu" and tensor.layout == torch.strided
