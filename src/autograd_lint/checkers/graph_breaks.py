"""Gradients that are cut on the only way to a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.constant_terms import is_deliberate
from autograd_lint.checkers.leaf_record import LeafRecord, stepped, wanted_leaves
from autograd_lint.checkers.lost_leaves import note_cut, positions
from autograd_lint.checkers.noting import Notes
from autograd_lint.checkers.rebuilt_losses import RebuiltLosses
from autograd_lint.checkers.training_record import TrainingRecord, mark_of
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import NOTHING_REACHED, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of, reached
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.libraries.torch.transforms.functional_derivatives import GRADIENTS
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

COMPARING = {"gt", "ge", "lt", "le"}


@dataclass(slots=True, eq=False, repr=False)
class GraphBreaks(Checker):
    """The ends of graphs that backwards have reached.

    `found` are those on the way to a root, by identity, `restarted` those behind leaves that were
    made of computed values. `kept` are the graphs of what attributes have held, by object and
    name. `marks` are how often leaves whose values were taken had been written, by identity, when
    a backward first came to them.
    """

    found: dict[int, GraphBreak] = field(default_factory=dict)
    restarted: set[GraphBreak] = field(default_factory=set)
    kept: dict[tuple[int, str], Node] = field(default_factory=dict)
    marks: dict[int, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, AttributeSet, cls.attribute_set)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute holds something else from now on; an evaluation, too, may do so, and leaves
        what it held in a step before as it was."""
        node = graph_of(event.value)
        if node is not None:
            self.kept[id(event.owner), event.name] = node

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which graphs ended on the way to its roots?

        What a custom Function differentiates for itself is handed on as it says.
        """
        walk = event.walk
        if in_custom_function(interp):
            return
        for node in walk.order:
            for graph_break in node.graph_breaks:
                self.found[id(graph_break)] = graph_break
                leaf = graph_break.source.leaf
                if leaf is not None:
                    self.marks.setdefault(id(leaf), mark_of(leaf))
            for graph_break in node.leaf.graph_breaks if node.leaf is not None else ():
                self.found[id(graph_break)] = graph_break
                self.restarted.add(graph_break)
        if walk is interp.state(RebuiltLosses).last:
            for graph_break in (one for leaf in walk.leaves() for one in leaf.graph_breaks):
                self.found.pop(id(graph_break), None)

    def end(self, interp: Interpreter) -> None:
        """The run is over: leaves that were to be trained, whose gradient was cut everywhere."""
        breaks, backwards = self.found.values(), interp.engine.backward
        received = {id(leaf): leaf for walk in backwards.passes for leaf in walk.leaves()}
        if received:
            backwards.trained = positions(interp, received)
        if not self.found:
            return
        backwards.reached.update(graph_break.event.place for graph_break in breaks)
        if Pitfall.MODE_LEAKS not in interp.state(Notes).kinds():
            self._judge_idle(interp)
        unknown = [node for walk in backwards.passes for node in walk.order if node.opaque]
        wanted = Wanted.of(interp, received)
        for graph_break in breaks:
            if not _is_meant(interp, graph_break, unknown):
                lost = wanted.lost_by(graph_break, restarted=graph_break in self.restarted)
                if lost and not (_is_copy(graph_break) and self._is_written(lost[0])):
                    _note_cut(interp, graph_break, lost, self._kept_beside(graph_break, lost))

    def _is_written(self, leaf: Tensor) -> bool:
        """Whether the program itself writes a leaf in training: nothing else has to move it."""
        versioned, others = self.marks.get(id(leaf), (0, 0))
        storage = leaf.storage
        later = *storage.writes[versioned:], *storage.unversioned_writes[others:]
        return any(not write.event.by_optimizer for write in later)

    def _kept_beside(
        self, graph_break: GraphBreak, lost: Sequence[Tensor]
    ) -> frozenset[Assumption]:
        """What it rests on that an attribute holds what is computed from a leaf beside what was cut
        off: a method that no run has come to may make a term of the loss of it."""
        leaves = {id(leaf) for leaf in lost}
        before = {node.place for node in reached([graph_break.source]).values()}  # in any iteration
        beside = [(name, node) for (_, name), node in self.kept.items() if node.place not in before]
        for name, node in beside:
            if leaves.intersection(id(leaf) for leaf in leaves_of([node])):
                return frozenset({Assumption(Kind.KEPT_UNUSED, name, weight=2)})
        return frozenset()

    def _judge_idle(self, interp: Interpreter) -> None:
        """An optimizer steps, but all that it is to train is used without its graph, or what is
        computed from it is cut off: nobody wants that of all."""
        if interp.opaque_backward:
            return
        idle = {
            id(tensor)
            for stepping in interp.state(TrainingRecord).optimizers.values()
            if stepping.steps and not stepping.useful
            for tensor in optimized(stepping.optimizer)
            if tensor.grad is None  # nor has the program given it a gradient itself
        }
        for graph_break in self.found.values() if idle else ():
            lost = [leaf for leaf in leaves_of([graph_break.source]) if id(leaf) in idle]
            if lost and graph_break.event.operator not in GRADIENTS:
                _note_cut(interp, graph_break, lost, detail=NOTHING_REACHED)


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """The leaves that were to be trained, by identity, and what became of them.

    `supposed` are those that only a harness trains, `moved` those that an optimizer has stepped,
    `received` those that a backward gave a gradient, `unmoved` those that none is there to move.
    """

    leaves: Mapping[int, Tensor]
    supposed: Set[int]
    moved: Set[int]
    received: Mapping[int, Tensor]
    unmoved: Set[Tensor]

    @classmethod
    def of(cls, interp: Interpreter, received: Mapping[int, Tensor]) -> Wanted:
        leaves, wanted = interp.state(LeafRecord), wanted_leaves(interp)
        supposed = {id(leaf) for leaf in leaves.harnessed} - wanted.keys()
        moved = {id(leaf) for leaf in stepped(interp)}
        return cls(wanted, supposed, moved, received, leaves.unmoved)

    def lost_by(self, graph_break: GraphBreak, *, restarted: bool) -> list[Tensor]:
        """The leaves behind a graph break that got no gradient."""
        missing = self._meant(graph_break, restarted) - self.received.keys()
        lost = [leaf for leaf in leaves_of([graph_break.source]) if id(leaf) in missing]
        lost = [leaf for leaf in lost if leaf.requires is not None]
        # What has no name was made for what is computed from it: nobody asks for its gradient.
        lost = [leaf for leaf in lost if leaf.parameter or leaf.name is not None]
        if graph_break.event.operator == "nn.Parameter":
            return lost
        return [leaf for leaf in lost if leaf not in self.unmoved]

    def _meant(self, graph_break: GraphBreak, restarted: bool) -> Set[int]:
        """The leaves that were to get a gradient over a graph break, by identity."""
        if graph_break.event.operator in GRADIENTS:
            return {key for key in self.moved if self.leaves[key].grad is None}
        deliberate = is_deliberate(graph_break)
        meant: Set[int] = self.leaves.keys()
        if _is_copy(graph_break):
            return meant & self.moved  # what is trained elsewhere may be used as it is
        if not deliberate:
            meant = meant | self.supposed
        elif restarted:
            meant = self.moved  # a new leaf was wanted, for its own gradient
        if graph_break.event.operator != "nn.Parameter":
            return meant
        # Of what has no name of its own it only takes the values to begin with; a plain leaf that
        # only a local name leads to it takes the place of, in the same memory.
        received, own = self.received.values(), graph_break.source.leaf
        taken = {None, *(leaf.name for leaf in received if graph_break in leaf.graph_breaks)}
        replaced = {id(own)} if own is not None and _is_local(own) else set[int]()
        named = {key for key in meant if not self._is_called(key, taken)}
        return (meant & self.moved) | (named - replaced)

    def _is_called(self, key: int, names: Set[str | None]) -> bool:
        return key in self.leaves and self.leaves[key].name in names


def _is_local(leaf: Tensor) -> bool:
    """Whether a leaf is no parameter, and no attribute of anything either."""
    return not leaf.parameter and (leaf.name or "").isidentifier()


def _is_meant(interp: Interpreter, graph_break: GraphBreak, unknown: list[Node]) -> bool:
    """Whether a gradient is cut on purpose, or that is told elsewhere; `unknown` are the nodes of
    code that is not known."""
    event = graph_break.event
    if graph_break.switch is not None:
        return True
    # Whoever asks for gradients without `create_graph` wants their values, as a rule.
    if event.operator in GRADIENTS:
        return not interp.whole or any(node.edges for node in unknown)
    # What is detached on purpose may be a part of a graph that is not known, too.
    if unknown and is_deliberate(graph_break):
        return True
    # Who trains a threshold estimates its gradient, which a harness does not.
    return not interp.whole and event.operator in COMPARING


def _is_copy(graph_break: GraphBreak) -> bool:
    """Whether the values of a leaf itself were asked for, and nothing computed from it."""
    return graph_break.source.leaf is not None and graph_break.event.operator in (".data", "detach")


def _note_cut(
    interp: Interpreter,
    graph_break: GraphBreak,
    lost: list[Tensor],
    because: frozenset[Assumption] = frozenset(),
    detail: str = "",
) -> None:
    event = graph_break.switch or graph_break.event
    note_cut(
        interp,
        event.place,
        lost[0],
        operator=event.operator,
        detail=detail,
        built=graph_break.source.created if graph_break.source.leaf is None else None,
        assumptions=graph_break.assumptions | backward_paths.least(lost) | because,
    )
