"""One mistake, one finding: what is there because of an error that is told is not told again.

The engine tells errors of one cause once (`Fault.follows`). Here pitfalls are looked at that an
error shows as well: a list that keeps the graphs through which the next backward fails, a gradient
without a graph whose loss then needs the freed one. The error stays, with the pitfall in `also`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.places import Place


def without_consequences(faults: Sequence[Fault]) -> list[Fault]:
    """The faults without the pitfalls that an error among them shows as well."""
    errors = [fault for fault in faults if fault.kind in _SHOWN_BY]
    shown = {id(error): _shown(error, faults) for error in errors}
    gone = {id(pitfall) for found in shown.values() for pitfall in found}
    kept = (fault for fault in faults if id(fault) not in gone)
    return [replace(one, also=tuple(shown.get(id(one), ()))) for one in kept]


def _shown(error: Fault, faults: Sequence[Fault]) -> list[Fault]:
    """The pitfalls that are the same mistake as an error, and assume no less."""
    same = _SHOWN_BY[error.kind]
    return [
        one
        for one in faults
        if isinstance(one.kind, Pitfall)
        and one.kind in same
        and error.assumptions <= one.assumptions
        and same[one.kind](error, one)
    ]


def _keeps_graph(error: Fault, pitfall: Fault) -> bool:
    """What outlives an iteration with its graph is what leads back into that graph."""
    built = error.built.place if error.built is not None else None
    return error.carried and _on_one_line(built, pitfall.place)


def _frees_penalty(error: Fault, pitfall: Fault) -> bool:
    """`grad` without `create_graph` frees what the loss is then computed from."""
    return error.freed is not None and error.freed.place == pitfall.place


def _ends_graph(error: Fault, pitfall: Fault) -> bool:
    """The root has no graph because of the call that ends it."""
    return error.built is not None and error.built.place == pitfall.place


def _clears_before(error: Fault, pitfall: Fault) -> bool:
    """A scaler refuses the step before which the gradients were cleared."""
    modified = pitfall.modified.place if pitfall.modified is not None else None
    return error.place is not None and error.place in (pitfall.place, modified)


def _leaves_empty(error: Fault, pitfall: Fault) -> bool:
    """An optimizer gets nothing where a module has registered nothing."""
    return error.detail.startswith("optimizer got an empty parameter list")


def _on_one_line(one: Place | None, other: Place | None) -> bool:
    if one is None or other is None:
        return False
    return (one.filename, one.row) == (other.filename, other.row)


_SHOWN_BY: dict[FaultKind | Pitfall, dict[Pitfall, Callable[[Fault, Fault], bool]]] = {
    FaultKind.GRAPH_FREED: {
        Pitfall.GRAPH_KEPT: _keeps_graph,
        Pitfall.PENALTY_WITHOUT_GRAPH: _frees_penalty,
    },
    FaultKind.NO_GRAD_ROOT: {Pitfall.CHECKPOINT_CUTS: _ends_graph},
    FaultKind.OTHER: {
        Pitfall.ZERO_GRAD_BEFORE_STEP: _clears_before,
        Pitfall.UNREGISTERED: _leaves_empty,
    },
}
