"""What a call of backward asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.places import Place


@dataclass(frozen=True, slots=True)
class Call:
    """One call of `backward` or `grad`.

    `inputs` None means every leaf; `accumulate` puts gradients into `.grad`, else they are
    returned. `within` are the activations of the program's code that the call stands in, the
    innermost last, `path` the calls that led to it. `assumptions` are those of the call itself (the
    canonical training step is one); `handed` is where the function that calls was given roots and
    inputs.
    """

    roots: Sequence[Tensor]
    place: Place | None
    name: str = "backward"
    inputs: Sequence[Tensor] | None = None
    gradient_given: bool = False
    retain_graph: bool = False
    create_graph: bool = False
    accumulate: bool = True
    allow_unused: bool = False
    assumptions: frozenset[Assumption] = CERTAINLY
    handed: Place | None = None
    within: tuple[object, ...] = ()
    path: tuple[Place, ...] = ()

    @property
    def fills_gradients(self) -> bool:
        """Whether a line of the program calls it, and gradients are put into `.grad`."""
        return self.accumulate and self.place is not None
