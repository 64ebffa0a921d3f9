"""A graph that a method builds is built anew before each call of the method that needs it.

for x in loader:
    actor.build(x)      # builds the graph that `update` runs backward through
    actor.update()
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.body import body, called_on_self, methods_of
from autograd_lint.facts.callers import Callers, Owner, call_of, covers
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.places import Place
from autograd_lint.project.mentions import Mention
from autograd_lint.project.source import Source

_BLOCKS = (ast.For, ast.While, Definition)


def _speaks(case: Case) -> bool:
    """Whether all that call a method which needs a graph call one that builds it before."""
    fault, cls = case.fault, case.owner.cls
    if fault.kind is not FaultKind.GRAPH_FREED or cls is None:
        return False
    built = _methods_at(cls, case.source, fault.built.place if fault.built else None)
    needed = frozenset[str]().union(
        *(_methods_at(cls, case.source, place) for place in _places_of_need(fault))
    )
    if not built or not needed or built & needed:
        return False
    building, needing = _leading_to(case.source, cls, built), _leading_to(case.source, cls, needed)
    callers = Callers(case.project)
    methods = [one for one in methods_of(cls) if one.name in needing - building]
    asked = [callers.sites(Owner(case.source, one, cls)) for one in methods]
    calls = [site for sites in asked for site in sites or () if _is_from_outside(site, cls)]
    return None not in asked and bool(calls) and all(_builds(site, building) for site in calls)


def _places_of_need(fault: Fault) -> list[Place | None]:
    """Where backward runs that frees a graph, and where it is needed again."""
    freed = fault.freed.place if fault.freed is not None else None
    needed = fault.needed.place if fault.needed is not None else fault.place
    return [freed, needed]


def _methods_at(cls: ast.ClassDef, source: Source, place: Place | None) -> frozenset[str]:
    """The name of the method of a class in which a place stands."""
    if place is None or place.filename != source.filename:
        return frozenset()
    return frozenset(one.name for one in methods_of(cls) if covers(one, place.row))


def _leading_to(source: Source, cls: ast.ClassDef, names: frozenset[str]) -> frozenset[str]:
    """The methods of a class that call some of its methods in the end, these among them."""
    calls = {one.name: called_on_self(source, one) for one in methods_of(cls)}
    found = names
    while more := {name for name, called in calls.items() if called & found} - found:
        found |= more
    return found


def _is_from_outside(site: Mention, cls: ast.ClassDef) -> bool:
    return call_of(site) is not None and not any(
        isinstance(one, ast.ClassDef) and one.name == cls.name for one in site.around
    )


def _builds(site: Mention, building: frozenset[str]) -> bool:
    """Whether the loop or function around a call builds before, by a call of the same object."""
    block = next((one for one in reversed(site.around) if isinstance(one, _BLOCKS)), None)
    call = call_of(site)
    if block is None or call is None:
        return False
    calls = body(block).calls
    owners = {one.owner for one in calls if one.node is call}
    return any(
        one.owner in owners and one.method in building and one.node.lineno < call.lineno
        for one in calls
    )


SIGNAL = Signal("rebuilt-by-callers", _speaks, Kind.NOT_REBUILT)
