"""Noting a pitfall once for each place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from autograd_lint.checkers.parameter_names import name_of
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created, Freed, Modified, Needed, Noted, Saved
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Facts(TypedDict, total=False):
    """What a pitfall is told with: fields of `Fault`."""

    tensor: str | None
    called: str | None
    operator: str
    detail: str
    built: Created | None
    saved: Saved | None
    modified: Modified | None
    freed: Freed | None
    needed: Needed | None
    carried: bool
    handed: Place | None
    assumptions: frozenset[Assumption]
    noted: tuple[Noted, ...]
    also: tuple[Fault, ...]


@dataclass(slots=True, eq=False, repr=False)
class Notes:
    """The pitfalls that were noted in a run, and where."""

    noted: set[tuple[Pitfall, Place]] = field(default_factory=set)

    def kinds(self) -> set[Pitfall]:
        """Which pitfalls were noted somewhere."""
        return {kind for kind, _ in self.noted}


def note(
    interp: Interpreter,
    kind: Pitfall,
    place: Place | None,
    *,
    leaf: Tensor | None = None,
    **facts: Unpack[Facts],
) -> None:
    """Note a pitfall at `place`, once; `leaf` is what it is about, if that is a leaf."""
    notes = interp.state(Notes)
    if place is None or (kind, place) in notes.noted:
        return
    notes.noted.add((kind, place))
    if leaf is not None and "tensor" not in facts:
        facts |= {"tensor": leaf.name, "called": name_of(interp, leaf)}
    interp.engine.backward.reached.add(place)
    interp.engine.note(Fault(kind, place, **facts))
