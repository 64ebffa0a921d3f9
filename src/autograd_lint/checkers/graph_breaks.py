"""Gradients that are cut: on the only way to a parameter, or in a term of the loss."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from autograd_lint.checkers import backward_paths, flat
from autograd_lint.checkers.accumulating import is_loss
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord, stepped, wanted_leaves
from autograd_lint.checkers.losses import compares_constants
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.checkers.terms import ADDITIVE, SCALING, sums_in
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass, backward
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of, walk_order
from autograd_lint.libraries.torch.events import (
    BackwardEnded,
    CheckpointRun,
    FunctionBackwardRun,
    PassBegun,
)
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.vm.contents import elements
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ARITHMETIC = ADDITIVE | SCALING | {"stack", "cat", "unsqueeze", "view", "reshape", "squeeze"}
DRAWING = {"sample", "multinomial", "bernoulli"}
COMPARING = {"gt", "ge", "lt", "le"}
EXPLICIT = {"detach"}  # says itself that no gradient is wanted


@dataclass(slots=True, eq=False)
class GraphBreaks(Checker):
    """The ends of graphs that backwards have come by.

    `found` are those on the way to a root, by identity, `restarted` those behind leaves that were
    made of computed values, `rebuilt` losses that are copies. `withheld` are edges along which a
    custom backward returns None, `flat` the nodes with a derivative of zero, `unrecorded` the terms
    of losses that were computed with grad mode off.
    """

    found: dict[int, GraphBreak] = field(default_factory=dict)
    restarted: set[GraphBreak] = field(default_factory=set)
    rebuilt: list[tuple[Tensor, GraphBreak, Needed]] = field(default_factory=list)
    withheld: list[tuple[Node, Node, Created]] = field(default_factory=list)
    flat: list[Node] = field(default_factory=list)
    unrecorded: list[tuple[GraphBreak, Pass]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, FunctionBackwardRun, cls.backward_run)
        to.add(cls, CheckpointRun, cls.checkpointed)
        to.add(cls, BackwardEnded, cls.ended)

    def backward_run(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` returns None for inputs that require grad: is that the only way to a leaf?"""
        result, backward = event.result, event.backward
        returned = elements(result, "tuple")
        returns = [part for part in ast.walk(backward.node) if isinstance(part, ast.Return)]
        if len(returned) != len(event.inputs) or len(returns) != 1:
            return
        made = Created(backward.source.place(returns[0]), f"{event.cls.name}.backward")
        for gradient, value in zip(returned, event.inputs, strict=True):
            target = value.node or value.accumulator if isinstance(value, Tensor) else None
            if gradient is None and target is not None and not target.opaque:
                self.withheld.append((event.node, target, made))

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
            for graph_break in node.leaf.graph_breaks if node.leaf is not None else ():
                self.found[id(graph_break)] = graph_break
                self.restarted.add(graph_break)
        self.flat.extend(node for node in walk.order if node.operator in flat.CONSTANT)
        if not walk.call.accumulate or not walk.starts:
            return
        if walk.call.place is None:
            _judge_returned(interp, walk)
            return
        _judge_frozen(interp, walk)
        if walk.call.inputs is not None:
            _judge_inputs(interp, walk)
        if not self._judge_rebuilt(interp, walk):
            for node in sums_in(walk.starts):
                _judge_terms(interp, node, walk)
                switched = (one for one in node.graph_breaks if one.switch is not None)
                self.unrecorded.extend((one, walk) for one in switched)

    def ended(self, interp: Interpreter, event: BackwardEnded) -> None:
        """After a backward from copies of losses the run goes on as if it had begun at the losses.

        They keep their graph, for the program may differentiate them yet.
        """
        if not self.rebuilt or not interp.engine.backward.passes:
            return
        call = interp.engine.backward.passes[-1].call
        copied = {id(leaf): graph_break.source for leaf, graph_break, _ in self.rebuilt}
        sources = [copied[id(root)] for root in call.roots if id(root) in copied]
        plain = [node for node in sources if node.leaf is None and not node.opaque]
        losses = [Tensor(node=node, requires=node.requires, shape=()) for node in plain]
        if losses:
            mended = call.assumptions | {Assumption(Kind.OF_LOSS_ITSELF, weight=0)}
            backward(
                interp.engine,
                replace(call, roots=losses, retain_graph=True, assumptions=mended),
            )

    def checkpointed(self, interp: Interpreter, event: CheckpointRun) -> None:
        """A reentrant checkpoint without an input that requires grad: what is inside gets none."""
        if not interp.engine.recording:
            return
        for graph_break in (
            graph_break for tensor in event.results for graph_break in tensor.graph_breaks
        ):
            if graph_break.switch is not None and graph_break.switch.operator == "checkpoint":
                note(
                    interp,
                    Pitfall.CHECKPOINT_CUTS,
                    event.place,
                    assumptions=graph_break.assumptions,
                )
                return

    def _judge_rebuilt(self, interp: Interpreter, walk: Pass) -> bool:
        """Whether the loss is only a copy of one: all that backward gets to is the copy itself.

        What is given a gradient to begin with is no loss, but a function of the copy.
        """
        if walk.call.gradient_given:
            return False
        leaves = walk.leaves()
        copies = [leaf for leaf in leaves if _copies_result(leaf)]
        inner = [node for node in walk.order if node.leaf is None]
        if not copies or len(copies) < len(leaves):
            return False
        if not all(node.operator.rpartition(".")[2] in ARITHMETIC for node in inner):
            return False
        if any(
            graph_break.source.walked_at for leaf in copies for graph_break in leaf.graph_breaks
        ):
            return False  # the loss itself has been walked: what it is a copy for is another matter
        for leaf in copies:
            graph_break = leaf.graph_breaks[0]
            for other in leaf.graph_breaks:
                self.found.pop(id(other), None)
            needed = Needed(walk.call.place, walk.call.name)
            self.rebuilt.append((leaf, graph_break, needed))
        return True

    def _note_rebuilt(self, interp: Interpreter) -> None:
        """Tell of copies of losses, unless the program asks for the gradient of the copy itself."""
        for leaf, graph_break, needed in self.rebuilt:
            if id(leaf) not in interp.state(LeafRecord).asked:
                note(
                    interp,
                    Pitfall.LOSS_REBUILT,
                    interp.state(LeafRecord).flag_places.get(id(leaf), graph_break.event.place),
                    tensor=leaf.name,
                    operator=graph_break.event.operator,
                    built=graph_break.event,
                    needed=needed,
                    assumptions=graph_break.assumptions,
                )

    def end(self, interp: Interpreter) -> None:
        """The run is over: leaves that were to be trained, whose gradient was cut everywhere."""
        self._note_rebuilt(interp)
        if not self.found and not self.withheld and not self.flat:
            return
        interp.engine.backward.reached.update(
            graph_break.event.place for graph_break in self.found.values()
        )
        leaves = interp.state(LeafRecord)
        moved = {id(leaf) for leaf in stepped(interp)}
        wanted = wanted_leaves(interp)
        supposed = {id(leaf) for leaf in leaves.harnessed} - wanted.keys()
        if self.withheld:
            self._judge_withheld(interp, wanted)
        if self.flat:
            flat.judge(interp, self.flat, wanted)
        walked = {
            id(leaf): leaf for walk in interp.engine.backward.passes for leaf in walk.leaves()
        }
        received = walked.keys()
        unknown = any(node.opaque for walk in interp.engine.backward.passes for node in walk.order)
        if Pitfall.MODE_LEAKS not in interp.state(Notes).kinds():
            self._judge_idle(interp)
            if interp.whole and not unknown:
                self._judge_unrecorded(interp, moved - received)
        for graph_break in self.found.values():
            if (
                graph_break.switch is not None
                or graph_break.event.operator == "grad"
                or _is_copy(graph_break)
                # What is detached on purpose may be a part of a graph that is not known, too.
                or (unknown and _deliberate(graph_break))
                # Who trains a threshold estimates its gradient, which a harness does not.
                or (not interp.whole and graph_break.event.operator in COMPARING)
            ):
                continue
            meant = wanted.keys() if _deliberate(graph_break) else wanted.keys() | supposed
            if graph_break in self.restarted and _deliberate(graph_break):
                meant = moved  # a new leaf was wanted, for its own gradient
            if graph_break.event.operator == "nn.Parameter":
                # Of what has no name of its own it only takes the values to begin with.
                taken = {
                    leaf.name for leaf in walked.values() if graph_break in leaf.graph_breaks
                } | {None}
                meant = {
                    k for k in meant if k not in wanted or wanted[k].name not in taken or k in moved
                }
            lost = [leaf for leaf in leaves_of([graph_break.source]) if id(leaf) in meant]
            lost = [leaf for leaf in lost if id(leaf) not in received and leaf.requires is not None]
            # What has no name was made for what is computed from it: nobody asks for its gradient.
            lost = [leaf for leaf in lost if leaf.parameter or leaf.name is not None]
            if graph_break.event.operator != "nn.Parameter":
                lost = [leaf for leaf in lost if leaf not in leaves.unmoved]
            if lost:
                _note_cut(interp, graph_break, lost)

    def _judge_idle(self, interp: Interpreter) -> None:
        """An optimizer steps, but all that it is to train is used without its graph."""
        if interp.opaque_backward:
            return
        idle = {
            id(tensor)
            for stepping in interp.state(TrainingRecord).optimizers.values()
            if stepping.steps and not stepping.useful
            for tensor in optimized(stepping.optimizer)
        }
        for graph_break in self.found.values() if idle else ():
            lost = [leaf for leaf in leaves_of([graph_break.source]) if id(leaf) in idle]
            if lost and (graph_break.switch is not None or _is_copy(graph_break)):
                _note_cut(interp, graph_break, lost)

    def _judge_unrecorded(self, interp: Interpreter, idle: set[int]) -> None:
        """Terms of losses without a graph are all that is computed from what an optimizer has."""
        for graph_break, walk in self.unrecorded:
            if any(id(leaf) in idle for leaf in leaves_of([graph_break.source])):
                _note_term(interp, graph_break, walk)

    def _judge_withheld(self, interp: Interpreter, wanted: dict[int, Tensor]) -> None:
        """Leaves that only lie behind inputs for which a custom backward returns None."""
        withheld = self.withheld
        received = backward_paths.received(interp, [(node, target) for node, target, _ in withheld])
        for _, target, event in withheld:
            lost = backward_paths.behind(target, wanted.keys())
            if lost and not any(id(leaf) in received for leaf in lost):
                backward_paths.note_lost(interp, lost, event.place, event.operator)


def _judge_returned(interp: Interpreter, walk: Pass) -> None:
    """What a harness trains is a loss where one of torch's own losses is a term of it."""
    sums = list(sums_in(walk.starts))
    if any(_is_loss(term) for node in sums for term in node.edges):
        for node in sums:
            _judge_terms(interp, node, walk)


def _is_loss(term: Node) -> bool:
    while term.operator in SCALING and len(term.edges) == 1:
        term = term.edges[0]
    return is_loss(term)


def _judge_frozen(interp: Interpreter, walk: Pass) -> None:
    """A leaf that required grad in the forward, but no longer does, gets nothing any more."""
    frozen = [leaf for leaf in walk.leaves() if leaf.requires_grad is None]
    passes = interp.engine.backward.passes if frozen else []
    earlier = [other.leaves() for other in passes if other is not walk and other.call.accumulate]
    for leaf in frozen:
        if not any(leaf is one for leaves in earlier for one in leaves):
            note(
                interp,
                Pitfall.GRADIENT_CUT,
                leaf.detached.place
                if leaf.detached
                else interp.state(LeafRecord).flag_places.get(id(leaf)),
                tensor=leaf.name,
                operator=leaf.detached.operator if leaf.detached else "requires_grad_",
            )


def _judge_inputs(interp: Interpreter, walk: Pass) -> None:
    """`backward(inputs=...)` does nothing for a tensor that is not in the graph."""
    reached = walk_order(list(walk.starts), None)
    if any(node.opaque for node in reached):
        return
    known = {id(node) for node in reached}
    for tensor in walk.call.inputs or ():
        target = tensor.node or tensor.accumulator
        if tensor.requires_grad is not None and (target is None or id(target) not in known):
            note(
                interp,
                Pitfall.INPUT_UNUSED,
                walk.call.place,
                tensor=tensor.name,
                operator=walk.call.name,
                assumptions=tensor.requires_grad,
            )


def _copies_result(leaf: Tensor) -> bool:
    """Whether a leaf is a copy of what was computed: that of another leaf is one to be trained."""
    computed = any(one.source.leaf is None or one.switch is not None for one in leaf.graph_breaks)
    return computed and not leaf.parameter


def _judge_terms(interp: Interpreter, node: Node, walk: Pass) -> None:
    cuts = tuple(one for one in node.graph_breaks if not _is_piecewise(one, walk))
    meant = any(_deliberate(cut, node) or _is_drawn(cut, node, walk) for cut in cuts)
    if cuts and (not meant or compares_constants(interp, cuts)):
        _note_term(interp, cuts[0], walk)
    if len(node.edges) < 2:
        return
    for target in node.edges:
        barrier = flat.barrier(target)
        others = [other for other in node.edges if other is not target]
        if barrier is not None and not any(flat.makes_up(other, barrier) for other in others):
            flat.note_term(interp, barrier, walk)


def _deliberate(graph_break: GraphBreak, term: Node | None = None) -> bool:
    """Whether a cut is meant: `surrogate - surrogate.item()` takes the value of a term out, and
    `hard - soft.data + soft` is a term with the gradient of `soft`."""
    if term is not None and graph_break.source in term.edges:
        return graph_break.event.operator != "grad"
    return graph_break.event.operator in EXPLICIT or graph_break.switch is not None


def _is_piecewise(graph_break: GraphBreak, walk: Pass) -> bool:
    """Whether a term is a constant chosen by a value that the loss differentiates elsewhere: the
    slope of a leaky ReLU, in the determinant of a flow, has no other gradient."""
    return graph_break.chooses and any(node is graph_break.source for node in walk.order)


def _is_drawn(graph_break: GraphBreak, term: Node, walk: Pass) -> bool:
    """Whether a sample was drawn, and what it was drawn from is trained by its probability."""
    if graph_break.event.operator not in DRAWING:
        return False
    received = {id(leaf) for leaf in walk.leaves()}
    trained = all(id(leaf) in received for leaf in leaves_of([graph_break.source]))
    return trained and (
        graph_break.event.operator != "sample" or _is_scored(graph_break, term, walk)
    )


def _is_scored(graph_break: GraphBreak, term: Node, walk: Pass) -> bool:
    """Whether a loss may hold the probability of a sample: a logarithm, or what compares it."""
    return any(
        node.opaque
        or "log" in node.operator
        or is_loss(node)
        or (node is not term and graph_break in node.graph_breaks)
        for node in walk.order
    )


def _note_term(interp: Interpreter, graph_break: GraphBreak, walk: Pass) -> None:
    event = graph_break.switch or graph_break.event
    penalty = event.operator == "grad"
    note(
        interp,
        Pitfall.PENALTY_WITHOUT_GRAPH if penalty else Pitfall.CONSTANT_TERM,
        event.place,
        tensor=graph_break.source.name,
        operator=event.operator,
        built=graph_break.source.created if graph_break.source.leaf is None else None,
        needed=Needed(walk.call.place, walk.call.name) if walk.call.place else None,
        assumptions=graph_break.assumptions | walk.call.assumptions,
    )


def _is_copy(graph_break: GraphBreak) -> bool:
    """Whether the values of a leaf itself were asked for, and nothing computed from it."""
    return graph_break.source.leaf is not None and graph_break.event.operator in (".data", "detach")


def _note_cut(interp: Interpreter, graph_break: GraphBreak, lost: list[Tensor]) -> None:
    event = graph_break.switch or graph_break.event
    note(
        interp,
        Pitfall.GRADIENT_CUT,
        event.place,
        tensor=lost[0].name,
        operator=event.operator,
        built=graph_break.source.created if graph_break.source.leaf is None else None,
        assumptions=graph_break.assumptions | backward_paths.least(lost),
    )
