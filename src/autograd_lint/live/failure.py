"""An exception of torch, and what all explanations of one begin with."""

from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from autograd_lint.engine.events import Created, Needed, Noted
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live import graph
from autograd_lint.live.memory import Origin
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Birth, Record
from autograd_lint.live.sites import Site
from autograd_lint.live.source import line
from autograd_lint.live.surroundings import Surroundings
from autograd_lint.live.writes import Write
from autograd_lint.places import Place

_OFF = "grad mode is switched off here"


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception: `raised` is the innermost line of the user's that it passed.

    `name` and `call` are the call of the engine that raised and its place, `outputs` and `inputs`
    what that was given; where an operator raised they are empty. `said` is the message where it is
    not that of the exception as it stands.
    """

    kind: FaultKind
    error: BaseException
    raised: Site | None
    around: Surroundings
    name: str = ""
    call: Site | None = None
    outputs: Any = ()
    inputs: Any = ()
    said: str | None = None

    @property
    def message(self) -> str:
        return str(self.error) if self.said is None else self.said

    @property
    def place(self) -> Place | None:
        return place_of(self.raised)

    @property
    def needed(self) -> Needed | None:
        return Needed(place_of(self.call), self.name) if self.name else None

    @property
    def fault(self) -> Fault:
        """The fault as far as the exception itself tells it."""
        return Fault(self.kind, self.place, detail=self.message, needed=self.needed)

    def nodes(self) -> list[Any]:
        """The nodes below the call; the caller must let go of them."""
        return graph.nodes_below(graph.roots_of(self.outputs))


def place_of(site: Site | None) -> Place | None:
    """The place of a site that may be unknown."""
    return None if site is None else site.place


def switched_off(off: Site | CodeType | None) -> tuple[Noted, ...]:
    """The call that has switched grad mode off, or the function below a decorator, if known."""
    if off is None:
        return ()
    if isinstance(off, Site):
        return (Noted(off.place, _OFF),)
    return (Noted(line(str(Path(off.co_filename).absolute()), off.co_firstlineno), _OFF),)


def module_at(site: Site | None) -> str:
    """The module of a library that runs at a site; empty for none."""
    return "" if site is None else site.module


def birth_of(node: Any, record: Record) -> Birth | None:
    """The operator that made a node: that of its dispatch, or the one before if only that fits."""
    number = graph.sequence_of(node)
    birth, previous = (None, None) if number is None else record.births_of(number)
    operator = graph.operator_of(node)
    if birth and previous and not birth.fits(operator) and previous.fits(operator):
        return previous
    if birth and number is not None and record.is_assumed(number) and not birth.fits(operator):
        return None  # this round was another one
    return birth


def created(node: Any, record: Record) -> Created | None:
    """Where a node was made; None without a node."""
    if node is None:
        return None
    birth = birth_of(node, record)
    return Created(place_of(birth.site if birth else None), graph.operator_of(node))


def origin_of(tensor: Any, record: Record) -> Origin | None:
    """Where a tensor without a graph comes from, if that was seen."""
    storage = storage_id(tensor)
    return record.memory.origin(storage) if storage is not None else None


def maker_of(tensor: Any, record: Record) -> Origin | None:
    """What made the memory of a tensor, if that was seen and without a graph."""
    storage = storage_id(tensor)
    return record.memory.maker(storage) if storage is not None else None


def made(tensor: Any, record: Record) -> Created | None:
    """Where a tensor was made: by its node's operator, or by what made its memory."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        node = None
    if node is not None:
        found = created(node, record)
        return found if found and found.place else None
    origin = maker_of(tensor, record)
    return Created(place_of(origin.site), origin.operator) if origin else None


def writes_after(number: int, tensor: Any, record: Record) -> list[Write]:
    """The writes to a tensor's elements, or its storage's, since the node `number` was made."""
    if tensor is None:
        return []
    storage = storage_id(tensor)
    known = record.writes.to(storage) if storage is not None else ()
    return [write for write in known if write.sequence > number and write.own != number]
