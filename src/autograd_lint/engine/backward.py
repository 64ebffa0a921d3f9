"""Backward: the walk over the graph, the version checks, the freeing, the gradients.

Mirrors torch/csrc/autograd/engine.cpp (order of execution, `inputs`), saved_variable.cpp (the two
checks of `unpack`) and torch/autograd/__init__.py (`_make_grads`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward_call import Call as Call
from autograd_lint.engine.blame import (
    freed_fault,
    input_fault,
    node_fault,
    root_fault,
    twice_fault,
    version_fault,
)
from autograd_lint.engine.events import Freed
from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.freezing import frozen_at
from autograd_lint.engine.gradients import gradients
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.pitfalls import COMPLEX
from autograd_lint.engine.proofs import of_terms, proven
from autograd_lint.engine.recovery import built_anew, unknown_history
from autograd_lint.engine.shapes import numel
from autograd_lint.engine.tensor import (
    CERTAINLY,
    CreationMeta,
    Tensor,
    Write,
    weight,
)
from autograd_lint.engine.views import edge
from autograd_lint.engine.walk import carried_node, doubts_of, leaves_of, walk_order
from autograd_lint.operators.facts import Gap, GapKind


@dataclass(frozen=True, slots=True)
class Pass:
    """One backward: its call, the nodes it began with, all that it walks, youngest first, and when
    it began. `ends` are the leaves at the ends of what it walks: looked for once, asked for often.
    """

    call: Call
    starts: Sequence[Node]
    order: Sequence[Node]
    began: int
    ends: Sequence[Tensor]

    @classmethod
    def of(cls, call: Call, starts: Sequence[Node], order: Sequence[Node], began: int) -> Pass:
        """The backward of a call that begins now."""
        nodes = {id(n): n for node in order for n in node.edges}
        nodes |= {id(n): n for n in starts}
        ends = [node.leaf for node in nodes.values() if node.leaf is not None]
        return cls(call, starts, order, began, ends)

    def leaves(self) -> Sequence[Tensor]:
        """The leaves that a gradient gets to."""
        if self.call.inputs is not None:
            return [tensor for tensor in self.call.inputs if tensor.node is None]
        return self.ends

    def cut_off(self) -> list[Tensor]:
        """The leaves that the roots were computed from, by way of values without a graph."""
        ends = [cut.source for node in self.order for cut in node.graph_breaks]
        return list(leaves_of(ends))


def backward(engine: Engine, call: Call) -> list[Tensor | None]:
    """Run a backward pass; the gradients of `inputs` for `grad`, else an empty list.

    Raises EngineError where the engine certainly would.
    """
    engine.backward.reached.add(call.place)
    _check_roots(engine, call)
    engine.assumed.path_condition |= _taken_for_scalars(call)
    if call.place is not None:
        engine.assumed.proven_by_backward.update(_without_which_it_raises(call))
    found = [edge(engine, root, call.place) for root in call.roots]
    starts = [node for node in found if node is not None]
    if call.place is not None:
        engine.assumed.proofs.update(proven(call.roots, starts))
        engine.assumed.of_terms.update(of_terms(starts))
    _check_inputs(engine, call)
    targets = _targets(engine, call)
    order = walk_order(starts, targets)
    ends = None if targets is None else targets.union(map(id, order))
    engine.backward.walking = call.place
    engine.backward.carried = carried_node(order)
    engine.record(Pass.of(call, starts, order, engine.clock))
    doubts = doubts_of(order)
    engine.assumed.reaching |= {
        node.leaf: doubts[id(node)] for node in order if node.leaf and doubts.get(id(node))
    }
    for node in order:
        doubt = doubts.get(id(node), CERTAINLY)
        sure = replace(call, assumptions=call.assumptions | doubt) if doubt else call
        _execute(engine, node, sure, ends)
    engine.tick()  # what is made from now on was not there when the graph was walked
    found_for = gradients(engine, call, starts, order)
    if len(starts) < len(call.roots):
        unknown_history(found_for)
    return found_for


def _check_roots(engine: Engine, call: Call) -> None:
    for root in call.roots:
        if root.requires_grad is not None and not call.gradient_given and not _is_scalar(root):
            assumptions = call.assumptions | root.requires_grad
            detail = COMPLEX if root.dtype == "complex" else ""
            engine.report(root_fault(FaultKind.NON_SCALAR_ROOT, root, call, assumptions, detail))
    for root in call.roots:
        if root.requires_grad is None:
            known = call.assumptions | _unrecorded(root)
            moment = root.anew[0] if root.anew else 0
            fault = root_fault(FaultKind.NO_GRAD_ROOT, root, call, known)
            if fault.built is None:
                fault = replace(fault, noted=frozen_at(engine))
            engine.report_empty(fault, moment)


def _unrecorded(root: Tensor) -> frozenset[Assumption]:
    """What must hold for a result to have no graph, where it comes from code that is not known."""
    unknown = [one for one in root.graph_breaks if one.supposed]
    return frozenset().union(*(one.assumptions for one in unknown))


def _taken_for_scalars(call: Call) -> frozenset[Assumption]:
    """What has to hold for the call to get past its roots: the program ends here otherwise."""
    if call.gradient_given:
        return CERTAINLY
    unknown = [root.name or "the root" for root in call.roots if numel(root.shape) is None]
    return frozenset(Assumption(Kind.ONE_ELEMENT, name, weight=0, proven=True) for name in unknown)


def _without_which_it_raises(call: Call) -> Iterator[Assumption]:
    """Whoever runs backward has its root require grad, and what the gradients are asked for."""
    for tensor in call.inputs or ():
        yield from tensor.requires_grad or ()
    for root in call.roots:
        requires = root.requires_grad
        if requires is not None and len(requires) == 1:
            yield from (assumption for assumption in requires if assumption.weight > 1)


def _is_scalar(root: Tensor) -> bool:
    """Whether it is one real number, as far as one knows."""
    several = any(size is not None and size > 1 for size in root.shape or ())
    return not several and numel(root.shape) in (None, 1) and root.dtype != "complex"


def _check_inputs(engine: Engine, call: Call) -> None:
    for tensor in call.inputs or ():
        if tensor.requires_grad is None:
            fault = input_fault(tensor, call, "does not require grad", call.assumptions)
            # `backward` asks its inputs to retain their gradient before it looks at them.
            kind = FaultKind.RETAIN_GRAD if call.accumulate else FaultKind.UNUSED_INPUT
            engine.report(replace(fault, kind=kind))


def _targets(engine: Engine, call: Call) -> set[int] | None:
    if call.inputs is None:
        return None
    found = [edge(engine, tensor, call.place) for tensor in call.inputs]
    return {id(node) for node in found if node is not None}


def _execute(engine: Engine, node: Node, call: Call, ends: set[int] | None) -> None:
    if node.leaf is not None:
        if node.run is not None:
            node.run(call.place)
        return
    assumptions = call.assumptions | node.requires
    if node.error:
        engine.report(node_fault(FaultKind.OTHER, node, call, assumptions, node.error))
    if node.refused is not None:
        _refuse_twice(engine, node.refused, call, assumptions)
    if node.freed is not None and (node.frees or node.saved):
        kept = _kept_because(node, call)
        engine.report(freed_fault(engine, node, call, assumptions | kept))
        if kept <= assumptions:
            built_anew(node)
    for saved in node.saved:
        check_version(engine, node, saved, call)
    if node.gaps:
        _refuse_gaps(engine, node, call, ends)
    if node.run is not None:
        node.run(call.place)
    # Nobody's call of backward is one on a tensor that stands for many.
    assumed = node.opaque and call.place is None
    if not (call.retain_graph or call.create_graph or assumed):
        node.freed = Freed(call.place, call.name, call.assumptions, call.path)
    node.walked_at, node.walked_by = engine.clock, call.place


def _refuse_gaps(engine: Engine, node: Node, call: Call, ends: set[int] | None) -> None:
    """Report the operator if it has no derivative on the way to one of `ends`, None being all."""
    for target, gap in node.gaps:
        if gap.kind is GapKind.REFUSED and (ends is None or id(target) in ends):
            detail = f"the derivative for '{node.operator}' is not implemented"
            assumptions = call.assumptions | node.requires | _seen_sometimes(node, gap)
            engine.report(node_fault(FaultKind.OTHER, node, call, assumptions, detail))


def _refuse_twice(
    engine: Engine, node: Node, call: Call, assumptions: frozenset[Assumption]
) -> None:
    """Report a backward through the gradient of a node that is differentiable only once."""
    if node.once is not None:
        engine.report(twice_fault(node, call, assumptions))
        return
    gap = max((gap for _, gap in node.gaps if gap.kind is GapKind.ONCE), key=lambda gap: gap.sure)
    detail = f"the derivative for '{node.operator}_backward' is not implemented"
    because = assumptions | node.requires | _seen_sometimes(node, gap)
    engine.report(node_fault(FaultKind.OTHER, node, call, because, detail))


def _seen_sometimes(node: Node, gap: Gap) -> frozenset[Assumption]:
    """What must hold for a call to be one of those that showed the gap."""
    if gap.sure:
        return CERTAINLY
    return frozenset({Assumption(Kind.NO_DERIVATIVE, node.operator)})


def _kept_because(node: Node, call: Call) -> frozenset[Assumption]:
    """What must hold for the node to have kept anything that could be freed.

    Who is given a tensor and runs backward from it twice is given a leaf.
    """
    if node.opaque and not node.saved and all(root.node is not node for root in call.roots):
        because = Assumption(
            Kind.GRAPH_KEEPS_SOMETHING, node.operator, weight=2 if node.given else 1
        )
        return frozenset({because})
    if node.frees:
        return CERTAINLY
    return min((saved.assumptions for saved in node.saved), key=weight)


def check_freed(engine: Engine, node: Node, call: Call) -> None:
    """Report that `call` reads what a node had saved after it was freed."""
    if node.freed is not None:
        engine.report(freed_fault(engine, node, call, call.assumptions | node.requires))


def check_version(engine: Engine, node: Node, saved: SavedTensor, call: Call) -> None:
    """Report a saved tensor that was written since; `call` is what needs it."""
    if saved.slot == "input" and saved.tensor.creation is not CreationMeta.DEFAULT:
        edge(engine, saved.tensor, call.place)  # asked for before the version
    if saved.unchecked:
        _note_unversioned(engine, node, saved, call)
        return
    known = call.assumptions | node.requires | engine.assumed.here
    writes = [write for write in saved.later_writes() if write.goes_through(known)]
    if saved.had_history and saved.tensor.node is None and saved.tensor.detached is not None:
        writes = [*writes, Write(saved.tensor.detached)]
    if not writes:
        _note_unversioned(engine, node, saved, call)
        return
    culprit = min(writes, key=lambda write: weight(write.assumptions))
    if not engine.report(version_fault(engine, node, saved, culprit, call)):
        saved.renew()


def _note_unversioned(engine: Engine, node: Node, saved: SavedTensor, call: Call) -> None:
    """Note a saved tensor that was written without the version counter, or that nothing checks."""
    writes = saved.unversioned_writes()
    if saved.unchecked:
        writes = [*saved.later_writes(), *writes]
    if writes:
        culprit = min(writes, key=lambda write: weight(write.assumptions))
        unseen = replace(culprit, event=replace(culprit.event, bumped=False))
        engine.note(version_fault(engine, node, saved, unseen, call))
