"""Attributes that a program sets on tensors: beside those that torch knows, they take any."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.values import Value


@dataclass(slots=True, eq=False, repr=False)
class OwnAttributes:
    """What a run has set on tensors, by tensor and name."""

    set_on: dict[Tensor, dict[str, Value]] = field(default_factory=dict)

    def keep(self, tensor: Tensor, name: str, value: Value) -> None:
        self.set_on.setdefault(tensor, {})[name] = value

    def of(self, tensor: Tensor) -> dict[str, Value]:
        return self.set_on.get(tensor, {})
