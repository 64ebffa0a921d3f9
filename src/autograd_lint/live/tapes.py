"""The operators that the forward of a custom Function has run, to be differentiated once more.

They run again on copies of what the forward was given, never on a tensor of the program: a forward
that writes to memory, draws random numbers, or reads a number out of a tensor has no tape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_lint.live.private import derivative, with_grad
from autograd_lint.live.schemas import schema_of, tensors_in

_MOST = 64  # operators of a forward
_MOST_ELEMENTS = 1 << 16  # of all that it computes
_WITHOUT_SLOPE = frozenset(
    {
        "abs", "argmax", "argmin", "bernoulli", "ceil", "clamp", "clamp_max", "clamp_min", "floor",
        "hardtanh", "leaky_relu", "maximum", "minimum", "relu", "round", "sgn", "sign", "threshold",
        "trunc",
    }
)  # fmt: skip
"""Functions for which a program may mean another slope than their own."""


@dataclass(slots=True)
class Tape:
    """What a forward was given, copies of that, and the operators with what they gave; `is_whole`
    says that all of it can be done again."""

    given: Sequence[torch.Tensor]
    copies: list[torch.Tensor] = field(default_factory=list)
    steps: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any, int]] = field(default_factory=list)
    elements: int = field(init=False)
    is_whole: bool = field(init=False)

    def __post_init__(self) -> None:
        self.elements = sum(one.numel() for one in self.given)
        is_seen = all(
            one.device.type == "cpu" and one.layout == torch.strided for one in self.given
        )
        self.is_whole = is_seen and self.elements < _MOST_ELEMENTS
        if self.is_whole:
            self.copies = [one.detach().clone() for one in self.given]

    def add(
        self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, row: int
    ) -> None:
        """An operator has run, for a statement in this row."""
        if not self.is_whole:
            return
        made = tensors_in((result,))
        self.elements += sum(one.numel() for one in made)
        self.is_whole &= (
            isinstance(operator, torch._ops.OpOverload)
            and len(self.steps) < _MOST
            and self.elements < _MOST_ELEMENTS
            and bool(made)
            and not _is_special(operator, args)
        )
        if self.is_whole:
            self.steps.append((operator, args, kwargs, result, row))
        else:
            self.steps.clear()

    def derivatives(
        self, gradient: torch.Tensor, first: int, last: int
    ) -> list[torch.Tensor | None] | None:
        """The gradients of what was given, by the operators themselves, for the gradient of what
        the statement in these rows has computed last; None where that is not known, or is what was
        given."""
        made = [one for *_, one, row in self.steps if first <= row <= last]
        if not made or not isinstance(made[-1], torch.Tensor) or not self.is_whole:
            return None
        result = made[-1]
        if result.shape != gradient.shape or any(_is_equal(result, one) for one in self.copies):
            return None
        with with_grad():
            inputs = [_with_graph(one) for one in self.copies]
            known = dict(
                zip(map(id, self.given), (one.view_as(one) for one in inputs), strict=True)
            )
            for operator, args, kwargs, one, _ in self.steps:
                again = operator(*_replaced(args, known), **_replaced(kwargs, known))
                known.update(zip(map(id, tensors_in((one,))), tensors_in((again,)), strict=True))
            asked = [one for one in inputs if one.requires_grad]
            found = iter(derivative(known[id(result)], gradient, asked))
            return [next(found) if one.requires_grad else None for one in inputs]


def _with_graph(copy: torch.Tensor) -> torch.Tensor:
    own = copy.clone()
    return own.requires_grad_() if own.is_floating_point() else own


def _is_special(operator: Any, args: tuple[Any, ...]) -> bool:
    """Whether an operator writes, draws, has no slope of its own, or makes numbers of a mask."""
    schema = schema_of(operator)
    draws = torch.Tag.nondeterministic_seeded in operator.tags
    of_mask = schema.name == "_to_copy" and tensors_in(args)[0].dtype == torch.bool
    return schema.writes or draws or of_mask or schema.name in _WITHOUT_SLOPE


def _is_equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and bool((one.detach() == other).all())


def _replaced(value: Any, known: dict[int, torch.Tensor]) -> Any:
    """What an operator was given, with the tensors that stand for those which are known."""
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(one, known) for one in value)
    if isinstance(value, dict):
        return {name: _replaced(one, known) for name, one in value.items()}
    return known.get(id(value), value)
