"""What happens inside an autograd engine, each event with its place in the source.

The abstract engine and the tracer of the real one emit the same events; rules judge events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograd_lint.places import Place

READING = "saved tensor"  # the call that reads what a node has saved

if TYPE_CHECKING:
    from autograd_lint.engine.assumptions import Assumption


@dataclass(frozen=True, slots=True)
class Created:
    """A graph node came to be: `operator` ran at `place` and its result is to be differentiated."""

    place: Place | None
    operator: str


@dataclass(frozen=True, slots=True)
class Saved:
    """`operator` kept a tensor for backward, at the version it had then.

    `slot` is `input`, `result`, or `closure` for an input that is not kept but read again where it
    comes from; `tensor` is what the program calls the tensor, if it has a name. `module` is the
    module in which the operator ran, where that is seen and is not the program's own.
    """

    place: Place | None
    operator: str
    tensor: str | None
    slot: str
    version: int
    module: str = ""


@dataclass(frozen=True, slots=True)
class Modified:
    """A storage was written: its version counter is `version` afterwards.

    `operator` is the writing operator, or the optimizer's class where `by_optimizer`. `tensor` is
    what the writing line calls the tensor. `bumped` is False for writes that the version counter
    does not see (`.data`, numpy, fused optimizers). `layer` is the layer that writes, and where it
    was made, if it is one; `module` is as of `Saved`.
    """

    place: Place | None
    operator: str
    tensor: str | None
    version: int
    by_optimizer: bool = False
    bumped: bool = True
    layer: Created | None = None
    module: str = ""


@dataclass(frozen=True, slots=True)
class Freed:
    """The saved tensors of a node were freed by `call` (`backward` or `grad`), if there is such;
    `path` are the calls of the program that led to it, the outermost first."""

    place: Place | None
    call: str
    assumptions: frozenset[Assumption] = frozenset()
    path: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Needed:
    """`call` (`backward`, `grad`, ...) walked to a node and needed what it had saved; `path` are
    the calls of the program that led to it, the outermost first."""

    place: Place | None
    call: str
    path: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Noted:
    """Anything else that led to a fault, and what it `said`: a hook registered, a mode entered."""

    place: Place | None
    said: str


def noted_at(place: Place | None, said: str) -> tuple[Noted, ...]:
    """What is said of a place beside a finding; nothing where it is not known."""
    return (Noted(place, said),) if place is not None else ()


Event = Created | Saved | Modified | Freed | Needed | Noted
