"""Storages with version counters, and the tensors that look at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created, Modified
from autograd_lint.engine.graph_breaks import GraphBreaks
from autograd_lint.engine.shapes import Shape, Strides

if TYPE_CHECKING:
    from autograd_lint.engine.graph import Node

# Why a tensor requires grad: None means that it does not; a set means that it does, provided that
# every assumption in the set holds (the empty set: certainly).
Requires = frozenset[Assumption] | None

CERTAINLY: frozenset[Assumption] = frozenset()
SET_DATA = ".data"  # the operator of `tensor.data = other`


def weight(requires: frozenset[Assumption]) -> int:
    """How much a set of assumptions takes for granted; sets of equal weight rank by size."""
    return sum(100 * assumption.weight + 1 for assumption in requires)


def either(*alternatives: Requires) -> Requires:
    """Requires grad if any alternative does: the one that assumes least."""
    present = [alternative for alternative in alternatives if alternative is not None]
    if len(present) < 2:
        return present[0] if present else None
    return CERTAINLY if CERTAINLY in present else min(present, key=weight)


class CreationMeta(Enum):
    """How a view was made; every kind but the default refuses in-place work in grad mode.

    Source: `CreationMeta` in torch/csrc/autograd/variable.h.
    """

    DEFAULT = "default"
    NO_GRAD = "no_grad"
    INFERENCE = "inference"
    MULTI_OUTPUT = "multi-output"
    CUSTOM_FUNCTION = "custom function"


@dataclass(slots=True)
class Write:
    """One write to a storage, what must hold for it to have happened, and for it to have changed
    any value: the version counter tells of a write even if all values stay the same.

    `refused` is what must hold for the write itself to be an error, None where it is none. `alone`
    is the tensor that got other memory (`tensor.data = other`): others that share its old one go on
    with that.
    """

    event: Modified
    assumptions: frozenset[Assumption] = CERTAINLY
    changing: frozenset[Assumption] = CERTAINLY
    refused: Requires = None
    alone: Tensor | None = None

    def goes_through(self, because: frozenset[Assumption]) -> bool:
        """Whether a program in which `because` holds has got past the write."""
        return self.refused is None or not self.refused <= because


@dataclass(slots=True, eq=False, repr=False)
class Storage:
    """Memory with a version counter, shared by views and by `detach()`.

    `unversioned_writes` are the writes that the counter does not see, `twins` the storages that
    stand for the same memory with a counter of their own (`.data`, NumPy's arrays). `constant` is
    what made it of one number (`zeros`), as long as no other has been written to it. `contents`
    tells apart the memories that were put in the place of one another (`tensor.data = other`); a
    twin stays with that of its time. `elsewhere` says that the program names a device for it which
    is not known to be the CPU, `device` how a conversion that made it named one.
    """

    writes: list[Write] = field(default_factory=list)
    unversioned_writes: list[Write] = field(default_factory=list)
    version: int = 0
    twins: list[Storage] = field(default_factory=list)
    constant: str = ""
    contents: int = 0
    elsewhere: bool = False
    device: str = ""

    @property
    def first(self) -> Storage:
        """The one of those that stand for the same memory that was there first."""
        return self.twins[0] if self.twins else self

    @property
    def memory(self) -> int:
        """The same for all that stand for the same memory."""
        return id(self.first)

    def twin(self) -> Storage:
        """Another counter for the same memory."""
        if not self.twins:
            self.twins.append(self)
        other = Storage(twins=self.twins, contents=self.contents)
        self.twins.append(other)
        return other

    def write(self, write: Write, bumps: int = 1) -> None:
        """Record a write that raises the version by `bumps`."""
        self.version += bumps
        self.writes.append(write)


@dataclass(slots=True, eq=False, repr=False)
class Tensor:
    """A tensor as autograd sees it.

    `base` is the tensor this one is a differentiable view of (never itself a view), `creation` how
    the view was made. `dtype` is `float`, `int`, `bool`, `complex` or None, `precision` the name of
    a float dtype other than the default one that it may have; `shape` may be None or hold None for
    an unknown size; `contiguous` is None when unknown, `strides` may be None for a
    contiguous tensor too. `made` is the operator that made it, `cut` the one on the way to it at
    which the graph ended, `graph_breaks` all such ends; `detached` is the `detach_()` that took its
    history, `anew` when (by the engine's clock) and where it was created from plain numbers.
    `may_overlap` says that several elements may be one memory cell, as in the gradient of a sum.
    """

    storage: Storage = field(default_factory=Storage)
    requires: Requires = None
    node: Node | None = None
    output: int = 0
    base: Tensor | None = None
    creation: CreationMeta = CreationMeta.DEFAULT
    seen_version: int = 0
    dtype: str | None = "float"
    precision: str = ""
    shape: Shape = None
    contiguous: bool | None = True
    strides: Strides = None
    name: str | None = None
    parameter: bool = False
    inference: bool = False
    may_overlap: bool = False
    retains_grad: bool = False
    detached: Modified | None = None
    made: Created | None = None
    anew: tuple[int, Created] | None = None
    cut: Created | None = None
    graph_breaks: GraphBreaks = ()
    grad: Tensor | None = None
    accumulator: Node | None = None
    value: object | None = None

    @property
    def requires_grad(self) -> Requires:
        """As `Tensor.requires_grad`: a view also requires grad when its base does.

        Source: `DifferentiableViewMeta::requires_grad` in torch/csrc/autograd/variable.h.
        """
        if self.base is None:
            return self.requires
        return either(self.requires, self.base.requires)

    def alias(self, storage: Storage) -> Tensor:
        """A tensor without a graph that lies in `storage` as this one lies in its own."""
        return Tensor(
            storage=storage,
            dtype=self.dtype,
            shape=self.shape,
            contiguous=self.contiguous,
            strides=self.strides,
        )

    @property
    def is_leaf(self) -> bool:
        """Whether no node made it; a view whose base was written counts by its base."""
        if self.base is not None and self.seen_version != self.storage.version:
            return self.node is None and self.base.requires is None
        return self.node is None

    @property
    def is_view(self) -> bool:
        """Whether autograd follows in-place work on it to a base."""
        return self.base is not None
