"""Losses that would have a graph only if data had one: that of the network ends on the way to them.

output = model(batch["x"]).detach()
loss = ((output - batch["y"]) ** 2).mean()
loss.backward()               # raises, unless `batch["y"]` requires grad

The same where what the loss is computed with was frozen since an earlier iteration, and of a
gradient without a graph that is to be differentiated with `v`, which is given:

grads = torch.autograd.grad(kl, policy.parameters())
torch.autograd.grad((flat(grads) * v).sum(), policy.parameters())
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Prior
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.freezing import frozen_at
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leads_to, reached
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.libraries.torch.transforms.functional_derivatives import GRADIENTS
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class DataLosses(Checker):
    """`walks` are the backwards that nothing but data would let begin; are there `others`?"""

    walks: list[Pass] = field(default_factory=list)
    others: bool = False

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does anything but data let it?"""
        walk = event.walk
        if walk.call.inputs and not walk.call.accumulate:
            _judge_second_order(interp, walk)
        if not walk.call.fills_gradients:
            return
        if all(map(_is_of_data, walk.call.roots)) and all(map(_is_known, walk.order)):
            if _is_frozen_since(interp, walk):
                frozen = frozen_at(interp.engine)
                interp.engine.note(replace(_without_graph(walk), noted=frozen))
                return
            self.walks.append(walk)
        else:
            self.others = True

    def end(self, interp: Interpreter) -> None:
        """The run is over: which optimizer waits for the gradients of such a backward?"""
        stepped = [one for one in interp.state(TrainingRecord).optimizers.values() if one.steps]
        own = [leaf for stepping in stepped for leaf in optimized(stepping.optimizer)]
        for walk in () if self.others else self.walks:
            ended = next((one for one in _breaks(walk.order) if _comes_from(one, own)), None)
            if ended is not None:
                interp.engine.note(_cut(_without_graph(walk), ended))


def _judge_second_order(interp: Interpreter, walk: Pass) -> None:
    """Does a call ask for gradients of gradients that were given no graph, by the same inputs?

    Should data require grad, it raises as well: the inputs are not in their graph.
    """
    nodes = reached(walk.starts).values()
    if walk.order or not all(map(_is_of_data, walk.call.roots)) or not all(map(_is_known, nodes)):
        return
    asked = {id(tensor) for tensor in walk.call.inputs or ()}
    firsts = {
        other.call.place
        for other in interp.engine.backward.passes
        if any(id(tensor) in asked for tensor in other.call.inputs or ())
    }
    for one in _breaks(nodes):
        if one.event.operator in GRADIENTS and one.event.place in firsts:
            fault = _without_graph(walk, raises=not walk.call.allow_unused)
            interp.engine.note(_cut(fault, one))
            return


def _is_frozen_since(interp: Interpreter, walk: Pass) -> bool:
    """Whether the same call has given gradients to parameters before that are frozen by now."""
    frozen = interp.engine.backward.frozen
    before = (one for one in interp.engine.backward.passes if one.call.place == walk.call.place)
    leaves = (leaf for one in before if one is not walk for leaf in one.leaves())
    return bool(frozen) and any(id(leaf) in frozen and not leaf.requires for leaf in leaves)


def _is_of_data(root: Tensor) -> bool:
    """Whether a root has a graph only if something has one that is rather data."""
    requires = root.requires_grad
    return bool(requires) and all(why.given and why.weight > Prior.USUAL for why in requires or ())


def _is_known(node: Node) -> bool:
    """Whether a node is none of code that is not known, which may lead to any parameters: but for
    an element of what the code is given."""
    return not node.opaque or (not node.edges and (node.given or node.element))


def _breaks(nodes: Iterable[Node]) -> Iterator[GraphBreak]:
    for node in nodes:
        yield from (one for one in node.graph_breaks if not one.chooses)


def _comes_from(ended: GraphBreak, own: list[Tensor]) -> bool:
    """Whether the graph that has ended is that of a model whose parameters these are."""
    whose = {_last(why.about) for leaf in own for why in leaf.requires_grad or ()}
    if _last(ended.source.operator) in whose:
        return True
    return leads_to([ended.source], {id(leaf) for leaf in own})


def _last(code: str) -> str:
    """What an object is called, whatever holds it."""
    return code.rpartition(".")[2]


def _without_graph(walk: Pass, *, raises: bool = False) -> Fault:
    """The backward raises where data do not require grad: its root has no graph. Is it known that
    it `raises` anyway?"""
    call = walk.call
    data = {why.as_of_data() for root in call.roots for why in root.requires_grad or ()}
    return Fault(
        FaultKind.NO_GRAD_ROOT,
        call.place,
        tensor=call.roots[0].name,
        needed=Needed(call.place, call.name),
        assumptions=call.assumptions | {replace(why, proven=raises) for why in data},
    )


def _cut(fault: Fault, ended: GraphBreak) -> Fault:
    """The same, where a graph has ended on the way to the root."""
    built = ended.switch or ended.event
    return replace(fault, built=built, assumptions=fault.assumptions | ended.assumptions)
