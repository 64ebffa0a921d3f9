"""What a function is given by its callers in a project, as their own runs show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.tensor import Tensor, weight
from autograd_lint.evidence.assumption_origin import given_names
from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.callers import Callers, Owner, call_of, owner_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Unknown, Value, constant

_MOST = 3  # callers that are run for one function

Place = tuple[str, int]  # a file and a row
Run = Callable[[Owner, "ObservedCalls"], None]
"""Runs a caller while somebody listens to what it gives."""


@dataclass
class ObservedCalls:
    """Listens to the calls of a function, by their places: where data is given, and where what may
    have a graph is. Of some calls neither is known."""

    owner: Owner
    names: frozenset[str]
    data: set[Place] = field(default_factory=set)
    others: set[Place] = field(default_factory=set)

    def __call__(self, interp: Interpreter, function: Function, frame: Frame) -> None:
        node = self.owner.function
        assert node is not None
        same = function.source.filename == self.owner.source.filename
        if not same or frame.call is None or function.written.node.lineno != node.lineno:
            return
        place = (interp.frames[-2].source.filename, frame.call.node.lineno)  # type: ignore[attr-defined]
        values = [frame.scope.names.get(name) for name in self.names]
        if all(map(_has_no_graph, values)):
            self.data.add(place)
        elif any(map(_may_have_graph, values)):
            self.others.add(place)


def is_given_data_by_callers(fault: Fault, owner: Owner, project: Project, run: Run) -> bool:
    """Whether all that call a function give it data for what a fault takes to require grad.

    `run` runs a caller while somebody listens. Who calls what a package offers is not known.
    """
    names = given_names(fault)
    known = owner.function is not None and names <= set(parameters_of(owner.function))
    asked = known and names and not project.offers(owner.name)
    sites = Callers(project).sites(owner) if asked else None
    callers = {around for site in sites or () if (around := owner_of(site)) is not None}
    if not sites or len(callers) > _MOST or not all(map(_is_followed, sites)):
        return False
    observed = ObservedCalls(owner, names)
    for caller in callers:
        run(caller, observed)
    places = {(site.source.filename, site.node.lineno) for site in sites}
    return places <= observed.data - observed.others


def _is_followed(site: Mention) -> bool:
    return call_of(site) is not None and owner_of(site) is not None


def _has_no_graph(value: Value) -> bool:
    return constant(value) or (isinstance(value, Tensor) and value.requires_grad is None)


def _may_have_graph(value: Value) -> bool:
    """Whether it would not be daring to take a value for a tensor that requires grad."""
    if isinstance(value, Tensor):
        return value.requires_grad is not None and weight(value.requires_grad) < 2
    return not constant(value) and not (isinstance(value, Unknown) and value.weight > 1)
