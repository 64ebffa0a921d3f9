"""Layers whose results a module only uses without their graph: nothing trains them.

def forward(self, x):
    gate = torch.sigmoid(self.gate(x)).detach()     # `self.gate` gets no gradient
    return self.out(self.body(x) * gate)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.graph_breaks import GraphBreaks
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.lost_leaves import note_cut
from autograd_lint.checkers.switched_off import SwitchedOff
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.walk import leads_to
from autograd_lint.facts.callers import covers, innermost_function
from autograd_lint.facts.trained_forwards import is_trained_by_calls
from autograd_lint.facts.untouched_layers import is_only_computed_with
from autograd_lint.libraries.torch.events import TrainedByHarness
from autograd_lint.libraries.torch.modules.modules import container_name, modules, parameters
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, External, Instance


@dataclass(slots=True, eq=False, repr=False)
class CutLayers(Checker):
    """The parameters that a harness trains, beside those that an optimizer of the run has."""

    trained: list[Tensor] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TrainedByHarness, cls.trained_by_harness)

    def trained_by_harness(self, interp: Interpreter, event: TrainedByHarness) -> None:
        self.trained.extend(event.tensors)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which layers of the modules that it has made were cut off everywhere?"""
        breaks = [one for one in interp.state(GraphBreaks).found.values() if _is_explicit(one)]
        if interp.whole or not breaks:
            return
        received = interp.engine.backward.received
        leaves = interp.state(LeafRecord)
        optimized = {id(leaf) for leaf in stepped(interp)}
        trained = optimized | {id(leaf) for leaf in self.trained}
        trained -= received | {id(leaf) for leaf in leaves.unmoved}
        trained -= interp.state(SwitchedOff).only_evaluated
        for module in leaves.constructed if trained else ():
            for name, own in _own_layers(module):
                lost = [leaf for leaf in own if id(leaf) in trained and leaf.requires == CERTAINLY]
                cut = _cut_of(interp, breaks, lost) if len(lost) == len(own) else None
                if cut is not None and isinstance(module.cls, Class):
                    because = _is_trained(module.cls, id(own[0]) in optimized)
                    _judge(interp, module.cls, name, own[0], cut, because)


def _is_explicit(graph_break: GraphBreak) -> bool:
    return graph_break.switch is not None or graph_break.event.operator == "detach"


def _own_layers(module: Instance) -> Iterator[tuple[str, list[Tensor]]]:
    """The layers of PyTorch that the class of a module makes for it, and its parameters, by their
    names: what it is given, or takes out of another model, may have learned before."""
    if not is_module(module) or not isinstance(module.cls, Class):
        return
    for name, value in module.attributes.items():
        if isinstance(value, Tensor) and value.parameter:
            yield name, [value]
        elif isinstance(value, Instance) and is_module(value):
            own = [tensor for _, tensor in parameters(value)]
            if own and all(_is_made_in(module.cls.source, one) for one in modules(value)):
                yield name, own


def _is_made_in(source: Source, module: Instance) -> bool:
    """Whether a module is a layer of PyTorch that a function of a file makes, or a container."""
    if container_name(module) is not None:
        return True
    made = module.made.place if isinstance(module.cls, External) and module.made else None
    if made is None or made.filename != source.filename:
        return False
    return innermost_function(source, made.row) is not None


def _cut_of(interp: Interpreter, breaks: list[GraphBreak], lost: list[Tensor]) -> GraphBreak | None:
    """Where the graph of some leaves has ended, whatever a function of the file chooses."""
    wanted = {id(leaf) for leaf in lost}
    for one in breaks:
        if leads_to([one.source], wanted):
            place = (one.switch or one.event).place
            return one if place is not None and _always_ends(interp, place) else None
    return None


def _always_ends(interp: Interpreter, place: Place) -> bool:
    """Whether no condition of the function decides whether a graph ends at a place."""
    if place.filename != interp.source.filename:
        return False
    function = innermost_function(interp.source, place.row)
    choices = (ast.If, ast.IfExp)
    return function is not None and not any(
        isinstance(one, choices) and covers(one, place.row) for one in ast.walk(function)
    )


def _is_trained(cls: Class, optimized: bool) -> frozenset[Assumption]:
    """What it rests on that the objects of a class are trained: nothing where an optimizer has
    stepped their parameters."""
    if optimized:
        return frozenset()
    return frozenset({Assumption(Kind.MODULE_TRAINED, cls.name, weight=0, called=True)})


def _judge(
    interp: Interpreter,
    cls: Class,
    name: str,
    leaf: Tensor,
    graph_break: GraphBreak,
    because: frozenset[Assumption],
) -> None:
    if not is_trained_by_calls(cls.node) or not is_only_computed_with(cls.source, name):
        return
    event = graph_break.switch or graph_break.event
    wanted = Assumption(Kind.MEANT_TO_LEARN, f"self.{name}", weight=0)
    note_cut(
        interp,
        event.place,
        leaf,
        tensor=f"self.{name}",
        operator=event.operator,
        built=graph_break.source.created if graph_break.source.leaf is None else None,
        assumptions=because | {wanted},
    )
