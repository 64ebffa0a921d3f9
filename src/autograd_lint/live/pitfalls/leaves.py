"""What is known of a leaf, and of the gradient that it holds."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import ref

import torch

from autograd_lint.live.private import version_of
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use what an earlier one has used: one may be meant
_WITHIN = 3  # such steps in a row where gradients are cleared at times
State = tuple[int, int | None]


@dataclass(slots=True)
class Leaf:
    """One leaf, known by what happened to it also when it is gone.

    `reached` says that some call computed its gradient, `owned` that an optimizer has it, `stepped`
    that one has stepped with it, `moved` that it had a gradient then, `name` what the program
    called it. `used` is the state of the gradient that a step has used, `last` that in which the
    latest backward has left it, `stale` the backward that added to it as a step had used it,
    `filled` the latest backward that filled it since it was cleared, `times` how many did, `lost`
    what cleared it before a step had used it, `clipped` a clipping that found no gradient yet,
    `flagged` where it was told to require grad though it held a gradient, `again` how many steps
    have used what another had used since it was cleared, `is_wanted` that the program itself has
    said that it is to be trained: it was switched on again, or given to an optimizer in a group of
    parameters none of which has got a gradient.
    """

    tensor: ref[torch.Tensor]
    backwards: int = 0
    used: State | None = None
    last: State | None = None
    stale: Site | None = None
    filled: Site | None = None
    lost: Site | None = None
    clipped: Site | None = None
    cleared: bool = False
    flagged: Site | None = None
    times: int = 0
    again: int = 0
    reached: bool = False
    owned: bool = False
    stepped: bool = False
    moved: bool = False
    is_parameter: bool = False
    is_wanted: bool = False
    name: str | None = None

    @property
    def meant(self) -> int:
        """How many steps may use what an earlier one has used before that is no intention."""
        return _WITHIN if self.cleared else _AGAIN

    @property
    def is_as_left(self) -> bool:
        """Whether the gradient is as the latest backward has left it."""
        tensor = self.tensor()
        return tensor is not None and self.last is not None and self.last == state_of(tensor)

    @property
    def is_waiting(self) -> bool:
        """Whether the gradient is that, and no step has used it."""
        return self.used is None and self.is_as_left

    @property
    def is_as_used(self) -> bool:
        """Whether the gradient is as a step has used it."""
        tensor = self.tensor()
        return tensor is not None and self.used is not None and self.used == state_of(tensor)


def state_of(tensor: torch.Tensor) -> State | None:
    """Which tensor a gradient is, and how often it was written."""
    gradient = tensor.grad
    return None if gradient is None else (id(gradient), version_of(gradient))


def has_gradient(tensor: torch.Tensor, *, at_end: bool = False) -> bool:
    """Whether there is a gradient other than zero; on a GPU, where to look means to wait, any
    before the end of the program."""
    gradient = tensor.grad
    is_looked_at = gradient is not None and (at_end or gradient.device.type == "cpu")
    if gradient is None or not is_looked_at or gradient.layout != torch.strided:
        return gradient is not None
    return bool(gradient.detach().ne(0).any())
