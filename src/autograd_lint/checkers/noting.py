"""Noting a pitfall once for each place."""

from __future__ import annotations

from typing import Any

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter


def note(interp: Interpreter, kind: Pitfall, place: Place | None, **facts: Any) -> None:
    """Note a pitfall at `place`, once; `facts` are the fields of the fault."""
    if place is None or (kind, place) in interp.watch.said:
        return
    interp.watch.said.add((kind, place))
    interp.engine.reached.add(place)
    interp.engine.note(Fault(kind, place, **facts))
