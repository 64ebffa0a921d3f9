"""Noting a pitfall once for each place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False)
class Notes:
    """The pitfalls that were noted in a run, and where."""

    noted: set[tuple[Pitfall, Place]] = field(default_factory=set)

    def kinds(self) -> set[Pitfall]:
        """Which pitfalls were noted somewhere."""
        return {kind for kind, _ in self.noted}


def note(interp: Interpreter, kind: Pitfall, place: Place | None, **facts: Any) -> None:
    """Note a pitfall at `place`, once; `facts` are the fields of the fault."""
    notes = interp.state(Notes)
    if place is None or (kind, place) in notes.noted:
        return
    notes.noted.add((kind, place))
    interp.engine.backward.reached.add(place)
    interp.engine.note(Fault(kind, place, **facts))
