"""Graphs that stay alive in containers and in running sums on which nobody calls backward."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lint.checkers import batches, steps_before, surroundings, unused_graphs
from autograd_lint.checkers.bindings import Bindings
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.containers import GrowingContainers
from autograd_lint.checkers.graph_chains import (
    NEAR,
    doubt_of_terms,
    freed_behind,
    leads,
    sums_at,
    unproven,
)
from autograd_lint.checkers.kept_graphs import note_kept
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import Notes
from autograd_lint.checkers.running_sums import (
    Told,
    called_in_step,
    is_handed_back,
    is_local,
    told_by_caller,
)
from autograd_lint.checkers.written_entries import WrittenEntries
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import LossReturned
from autograd_lint.libraries.torch.training.running import in_forward
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.events import (
    AttributeSet,
    Augmented,
    ElementStored,
    ExpressionStatementRun,
    NameBound,
    ValueAppended,
)
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import (
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

_SUMMING = {"add", "sub", "mul", "div", "lerp", "cat", "stack", "where", "maximum", "minimum"}
SUMMING_IN_PLACE = frozenset(f"{name}_" for name in ("add", "copy", "sub", "mul", "div", "lerp"))
IN_PARTS = 24  # the same for a tensor whose elements are written one by one
MAY_BE_COUNT = frozenset({Assumption(Kind.NO_NUMBER, weight=2)})
MOST = 24  # entries of a dictionary that are looked at one by one
Chain = tuple[Place, object, object]  # where, which entry, of which object


@dataclass(slots=True, eq=False, repr=False)
class Kept:
    """A tensor that outlives the iteration of a loop in which it was computed.

    `freed` is what must hold for an earlier part of its graph to have been freed, `unproven` what
    for there to be a graph, `first` the graph of the first value that went into it, `called` the
    call in a training step that led to it.
    """

    place: Place
    node: Node
    name: str | None
    freed: frozenset[Assumption]
    unproven: frozenset[Assumption]
    first: Node
    called: Place | None


@dataclass(slots=True, eq=False, repr=False)
class KeptGraphs(Checker):
    """The values of names and entries that their own earlier values went into.

    `chains` are the last nodes of such values, the first, and when; `kept` those whose earlier
    graphs were freed, `grown` those of them that were not, `sums` those that add up losses.
    `counted` are sums to which a number may have been added, `losses` what a training step has
    returned, `part_of_step` where a `forward` has put values into containers.
    """

    kept: dict[tuple[Place, str, Node], Kept] = field(default_factory=dict)
    grown: dict[tuple[Place, str, Node], Kept] = field(default_factory=dict)
    chains: dict[Chain, tuple[Node, Node, int]] = field(default_factory=dict)
    sums: dict[tuple[Place, str | None], tuple[Tensor, Node]] = field(default_factory=dict)
    counted: set[Node] = field(default_factory=set)
    losses: set[Node] = field(default_factory=set)
    part_of_step: set[Place] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ValueAppended, cls.appended)
        to.add(cls, NameBound, cls.name_bound)
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, ElementStored, cls.element_stored)
        to.add(cls, Augmented, cls.augmented)
        to.add(cls, LossReturned, cls.loss_returned)
        to.add(cls, ExpressionStatementRun, cls.stands_alone)

    def name_bound(self, interp: Interpreter, event: NameBound) -> None:
        """A name is about to mean another value."""
        if isinstance(event.value, (Tensor, Unknown)):
            self._assigned(interp, event.value, event.target)
        elif isinstance(event.value, Mapping) and len(event.value.entries) <= MOST:
            for key, one in event.value.entries.items():
                self._assigned(interp, one, event.target, key)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """A statement is about to set an attribute."""
        if event.target is not None:
            self._assigned(interp, event.value, event.target)

    def stands_alone(self, interp: Interpreter, event: ExpressionStatementRun) -> None:
        """`total.add_(loss)`, `mean.mul_(0.9).add_(weight)`: a tensor is written, which a name, an
        attribute or a loop over many stands for."""
        called = event.node.func if isinstance(event.node, ast.Call) else None
        if not isinstance(called, ast.Attribute) or called.attr not in SUMMING_IN_PLACE:
            return
        written = _written(called)
        if isinstance(written, (ast.Name, ast.Attribute)):
            self._assigned(interp, event.value, written, tensor_of(event.value))

    def element_stored(self, interp: Interpreter, event: ElementStored) -> None:
        """An element is stored; those of a tensor keep its graph."""
        if isinstance(event.owner, Tensor):
            self._assigned(interp, event.owner, event.target)
        else:
            own = event.owner if isinstance(event.owner, (Items, Mapping)) else None
            self._assigned(interp, event.value, event.target, event.key, own)

    def augmented(self, interp: Interpreter, event: Augmented) -> None:
        """`target += value`."""
        node = event.result.node if isinstance(event.result, Tensor) else None
        if node is not None and (event.perhaps_number or event.added in self.counted):
            self.counted.add(node)

    def loss_returned(self, interp: Interpreter, event: LossReturned) -> None:
        """A training step has returned a loss."""
        self.losses.add(event.node)

    def appended(self, interp: Interpreter, event: ValueAppended) -> None:
        """A value was added to a container: earlier ones were of use until they were freed."""
        containers, items, value = interp.state(GrowingContainers), event.container, event.value
        if not containers.takes(interp, event):
            return
        place = interp.place(event.node)
        key = id(items), place
        held = items.items if isinstance(items, Items) else list(items.entries.values())
        earlier = containers.taken[key][:-1]
        kept = [old for old, _ in earlier if any(old is item for item in held)]
        last = graph_of(kept[-1]) if kept else None
        graph = graph_of(value) or last  # of a loss that backward is still to begin at
        if graph is None:
            return
        freed = freed_behind(last, since=items.made) if last is not None else None
        to_blame = containers.handed_over[key]
        if freed is not None and (to_blame == place or surroundings.grows(interp, place)):
            tensor = tensor_of(value)
            name = tensor.name if tensor is not None else None
            doubted = CERTAINLY if last in self.losses else unproven(value, graph)
            uncut = interp.state(WrittenEntries).of(value, graph)
            note_kept(
                interp, uncut or to_blame, name, "container", graph, freed, doubted, value, place
            )
        if in_forward(interp):
            self.part_of_step.add(place)

    def _assigned(
        self,
        interp: Interpreter,
        value: Value,
        target: ast.expr,
        key: object = None,
        container: Items | Mapping | None = None,
    ) -> None:
        """A name, attribute or entry gets a value, perhaps one that its earlier value went into.

        `key` is that of the entry of a `container`, where it is known, or the tensor that is
        written in place. Each object, each container and each such tensor has a chain of its own.
        """
        tensor = tensor_of(value)
        if tensor is None or tensor.node is None:
            return
        place = interp.place(target)
        chains, new = self.chains, tensor.node
        whose = None if isinstance(key, Tensor) else container or _owner(interp, target)
        chain = place, key, whose
        before, first, then = chains.get(chain, (new, new, 0))
        near = IN_PARTS if isinstance(target, ast.Subscript) else NEAR
        now = interp.engine.tick()
        # What a loop goes through was there before, though one may lead to the other.
        if before is new or new.sequence < then or not leads(new, before, near):
            chains[chain] = (new, first if before is new else new, now)
            return
        chains[chain] = (new, first, now)
        freed, name = freed_behind(before), interp.text(target)
        if freed is None and batches.summed(interp, tensor.node, before):
            self._note_sum(interp, target, tensor, before)
            return
        told = _holder(interp, target, place, name)
        if freed is None and is_handed_back(interp, target):
            return
        if told is not None:
            doubt, free = self._may_be_count(tensor.node), freed if freed is not None else CERTAINLY
            called = called_in_step(interp)
            kept = Kept(told.place, tensor.node, told.name, free, doubt, first, called)
            (self.grown if freed is None else self.kept)[told.place, name, first] = kept

    def _note_sum(
        self, interp: Interpreter, target: ast.expr, tensor: Tensor, before: Node
    ) -> None:
        summed: Told | None = Told(interp.text(target), interp.place(target))
        if isinstance(target, ast.Subscript):
            return
        if isinstance(target, ast.Attribute) and interp.asked_by() is not None:
            summed = told_by_caller(interp, target)
        if summed is not None:
            self.sums[summed.place, summed.name] = (tensor, before)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what was kept, and never walked again."""
        for kept in _each_value_once(self.kept.values()):
            # What was there before the sum began does not live longer because of it.
            added = freed_behind(kept.node, after=kept.first)
            spans = steps_before.came_between(interp, kept.first, kept.node)
            few = surroundings.begins_anew(interp, kept.place, kept.name)
            if not (few or kept.node.walked_at) and added is not None and spans:
                doubt = kept.unproven | doubt_of_terms(kept.node)
                _forget_lists_of(interp, kept.place)
                _note_kept_sum(interp, kept, doubt, kept.freed)
        for kept in _each_value_once(self.grown.values()):
            if _grows_unused(interp, kept.first, kept.node):
                doubt = kept.unproven | doubt_of_terms(kept.node)
                _note_kept_sum(interp, kept, doubt)
        unused_graphs.judge_lists(interp, self.part_of_step)
        unused_graphs.judge_sums(interp, self.sums)
        for module in interp.state(LeafRecord).constructed:
            self._judge_attributes(interp, module)

    def _may_be_count(self, node: Node) -> frozenset[Assumption]:
        return MAY_BE_COUNT if node in self.counted else CERTAINLY

    def _doubt_of_sum(self, node: Node) -> frozenset[Assumption]:
        """What must hold for a sum to keep the graphs of its terms."""
        return self._may_be_count(node) | doubt_of_terms(node)

    def _judge_attributes(self, interp: Interpreter, module: Instance) -> None:
        """Buffers and states that take in, step after step, values with their graph."""
        kept = ((name, one) for name, held in module.attributes.items() for one in _kept_in(held))
        for name, value in kept:
            if value.node is None or value.parameter:
                continue
            if any(kept.node is value.node for kept in self.kept.values()):
                continue
            earlier = None if value.node.walked_at else _before_backward(interp, value.node)
            if earlier is None:
                continue
            if not steps_before.takes_in(value.node, earlier):
                continue  # data: that it began with a graph is not likely
            freed = freed_behind(earlier)
            if freed is None and steps_before.passed_by(interp, earlier):
                freed = CERTAINLY
            if freed is not None:
                place = interp.state(Bindings).kept_at(module, name, value.node)
                doubt = self._doubt_of_sum(value.node)
                sort = "running sum" if value.node.operator in _SUMMING else "state"
                note_kept(interp, place, f"self.{name}", sort, value.node, freed, doubt)


def _note_kept_sum(
    interp: Interpreter,
    kept: Kept,
    doubt: frozenset[Assumption],
    freed: frozenset[Assumption] = CERTAINLY,
) -> None:
    """Tell of a sum that outlives the iteration in which its terms were computed."""
    note_kept(
        interp,
        kept.place,
        kept.name,
        "running sum",
        kept.node,
        freed,
        doubt,
        called=kept.called,
    )


def _grows_unused(interp: Interpreter, first: Node, latest: Node) -> bool:
    """Whether a value takes in parameters step after step, and backward after backward has had no
    use for it: an average of weights."""
    is_unused = not (latest.walked_at or first.walked_at)
    steps = steps_before.steps_between(interp, first, latest)
    return is_unused and steps > 1 and steps_before.takes_in_parameters(latest, first)


def _before_backward(interp: Interpreter, node: Node) -> Node | None:
    """What the same line has made before the last backward, among what a node leads to."""
    earlier = steps_before.same_steps(node)
    return next((one for one in earlier if steps_before.came_between(interp, one, node)), None)


def _kept_in(value: Value) -> list[Tensor]:
    """What an attribute keeps: a tensor, or a tuple of them, as the state of an LSTM."""
    if isinstance(value, Items) and value.kind == "tuple":
        return [one for one in value.items if isinstance(one, Tensor)]
    return [value] if isinstance(value, Tensor) else []


def _holder(interp: Interpreter, target: ast.expr, place: Place, name: str) -> Told | None:
    """What is told of a target that grows: itself, or what the caller holds it by; None where the
    run of a function alone does not show that it outlives a call."""
    if interp.asked_by() is None:
        return Told(name, place)
    if not surroundings.grows(interp, place):
        return None
    if interp.world.project.owns(place.filename) and is_local(interp, target):
        return Told(name, place)
    return None if isinstance(target, ast.Name) else told_by_caller(interp, target)


def _written(called: ast.Attribute) -> ast.expr:
    """What a chain of operators writes in place: `mean` of `mean.mul_(0.9).add_`."""
    owner = called.value
    while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
        if owner.func.attr not in SUMMING_IN_PLACE:
            break
        owner = owner.func.value
    return owner


def _owner(interp: Interpreter, target: ast.expr) -> Instance | Scope | None:
    """What lives as long as a target: of an attribute the object of a name, where that is known, of
    a name the call that binds it."""
    scope = interp.frame.scope
    if isinstance(target, ast.Name):
        return None if target.id in scope.global_names | scope.nonlocal_names else scope
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return None
    owner = scope.lookup(target.value.id)
    return owner if isinstance(owner, Instance) else None


def _forget_lists_of(interp: Interpreter, place: Place) -> None:
    """What is told of a sum is not told again of a list that takes in the sum, or its average."""
    lists = {
        interp.state(GrowingContainers).handed_over.get(key, key[1])
        for key, held in interp.state(GrowingContainers).taken.items()
        if any(sums_at(place, graph_of(value)) for value, _ in held)
    }
    faults = interp.engine.faults
    kept = (one for one in faults if one.kind is Pitfall.GRAPH_KEPT and one.place in lists)
    gone = [one for one in kept if one.operator == "container"]
    faults[:] = [one for one in faults if one not in gone]
    if any(one.place == place for one in gone):  # a dictionary of sums: the sum is told there
        interp.state(Notes).noted.discard((Pitfall.GRAPH_KEPT, place))


def _each_value_once(kept: Iterable[Kept]) -> Iterable[Kept]:
    """Of several names for one value the attribute or entry that outlives the others."""
    found: dict[int, Kept] = {}
    for one in kept:
        known = found.setdefault(id(one.node), one)
        if _is_plain(known.name) and not _is_plain(one.name):
            found[id(one.node)] = one
    return found.values()


def _is_plain(name: str | None) -> bool:
    return name is not None and name.isidentifier()
