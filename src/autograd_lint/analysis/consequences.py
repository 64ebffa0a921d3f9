"""One mistake, one finding: what is there because of a mistake that is told is not told again.

The engine tells errors of one cause once (`Fault.follows`). Here pitfalls are looked at that an
error shows as well: a list that keeps the graphs through which the next backward fails, a gradient
without a graph whose loss then needs the freed one. The error stays, with the pitfall in `also`;
where the pitfall is what is to be changed, it stays, with the error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import NOTHING_REACHED, Pitfall
from autograd_lint.places import Place


def without_consequences(faults: Sequence[Fault]) -> list[Fault]:
    """The faults without those that another one among them shows as well."""
    first = [fault for fault in faults if fault.kind in _SHOWN_BY]
    shown = {id(fault): _shown(fault, faults) for fault in first}
    gone = {id(other) for found in shown.values() for other in found}
    kept = (fault for fault in faults if id(fault) not in gone)
    return [replace(one, also=tuple(shown.get(id(one), ()))) for one in kept]


def _shown(fault: Fault, faults: Sequence[Fault]) -> list[Fault]:
    """The faults that are the same mistake as one that is told, and assume no less."""
    same = _SHOWN_BY[fault.kind]
    return [
        one
        for one in faults
        if one.kind in same and _assumes_no_more(fault, one) and same[one.kind](fault, one)
    ]


def _assumes_no_more(fault: Fault, other: Fault) -> bool:
    """Whether a fault assumes no more than another one, or goes wrong whether the other holds or
    not: where nothing is trained, either backward fails or it trains nothing."""
    return fault.detail == NOTHING_REACHED or fault.assumptions <= other.assumptions


def _keeps_graph(error: Fault, pitfall: Fault) -> bool:
    """What outlives an iteration with its graph is what leads back into that graph."""
    built = error.built.place if error.built is not None else None
    return error.carried and _on_one_line(built, pitfall.place)


def _frees_penalty(error: Fault, pitfall: Fault) -> bool:
    """`grad` without `create_graph` frees what the loss is then computed from."""
    return error.freed is not None and error.freed.place == pitfall.place


def _ends_graph(error: Fault, pitfall: Fault) -> bool:
    """The root has no graph because of the call that ends it, or that has left grad mode off."""
    return error.built is not None and error.built.place == pitfall.place


def _leaves_no_root(cut: Fault, error: Fault) -> bool:
    """Where a graph is cut, a root may be left without one; the error stays if it assumes no
    more."""
    return _ends_graph(error, cut) and cut.assumptions != error.assumptions


def _makes_constant(cut: Fault, term: Fault) -> bool:
    """Where a graph is cut the term that is computed behind is a constant."""
    return cut.place is not None and cut.place == term.place


def _clears_before(error: Fault, pitfall: Fault) -> bool:
    """A scaler refuses the step before which the gradients were cleared."""
    modified = pitfall.modified.place if pitfall.modified is not None else None
    return error.place is not None and error.place in (pitfall.place, modified)


def _steps_too_early(error: Fault, pitfall: Fault) -> bool:
    """A step that stands before another backward of the same iteration also leaves that backward
    gradients which it has used."""
    step = pitfall.modified.place if pitfall.modified is not None else None
    if error.carried or error.modified is None or error.needed is None:
        return False
    return step == error.modified.place and pitfall.place == error.needed.place


def _mixes(pitfall: Fault, foreign: Fault) -> bool:
    """Gradients that are never cleared are mixed with those of another loss as well."""
    return (pitfall.place, pitfall.tensor) == (foreign.place, foreign.tensor)


def _is_drawn(pitfall: Fault, error: Fault) -> bool:
    """What a list keeps with its graph is refused where a package makes an array of the list."""
    kept = pitfall.built
    return "." in error.operator and kept is not None and kept == error.built


def _piles_up(pitfall: Fault, piling: Fault) -> bool:
    """Gradients that the program has used pile up where it asks for a gradient again."""
    added = piling.needed.place if piling.needed is not None else None
    return (pitfall.place, pitfall.tensor) == (added, piling.tensor)


def _leaves_empty(error: Fault, pitfall: Fault) -> bool:
    """An optimizer gets nothing where a module has registered nothing."""
    return error.detail.startswith("optimizer got an empty parameter list")


def _has_lost_its_leaf(pitfall: Fault, error: Fault) -> bool:
    """A name that goes on to a new tensor under `no_grad()` leaves the next loss without a graph.

    The root was cut by just that mode.
    """
    mode, place = error.built.place if error.built is not None else None, pitfall.place
    switched = pitfall.built.place if pitfall.built is not None else None
    return mode is not None and place is not None and mode == switched


def _on_one_line(one: Place | None, other: Place | None) -> bool:
    if one is None or other is None:
        return False
    return (one.filename, one.row) == (other.filename, other.row)


_Kind = FaultKind | Pitfall
_SHOWN_BY: dict[_Kind, dict[_Kind, Callable[[Fault, Fault], bool]]] = {
    FaultKind.SAVED_TENSOR_MODIFIED: {Pitfall.MISSING_ZERO_GRAD: _steps_too_early},
    Pitfall.MISSING_ZERO_GRAD: {
        Pitfall.FOREIGN_GRADIENT: _mixes,
        Pitfall.GRADIENTS_PILE_UP: _piles_up,
    },
    Pitfall.GRAPH_KEPT: {FaultKind.NUMPY_ON_GRAD: _is_drawn},
    Pitfall.PARAMETER_REBOUND: {FaultKind.NO_GRAD_ROOT: _has_lost_its_leaf},
    FaultKind.GRAPH_FREED: {
        Pitfall.GRAPH_KEPT: _keeps_graph,
        Pitfall.PENALTY_WITHOUT_GRAPH: _frees_penalty,
    },
    FaultKind.NO_GRAD_ROOT: {
        Pitfall.CHECKPOINT_CUTS: _ends_graph,
        Pitfall.GRADIENT_CUT: _ends_graph,
        Pitfall.MODE_LEAKS: _ends_graph,
    },
    Pitfall.GRADIENT_CUT: {
        FaultKind.NO_GRAD_ROOT: _leaves_no_root,
        Pitfall.CONSTANT_TERM: _makes_constant,
    },
    FaultKind.OTHER: {
        Pitfall.ZERO_GRAD_BEFORE_STEP: _clears_before,
        Pitfall.UNREGISTERED: _leaves_empty,
    },
}
