"""Targets that learn: the copy of a network that a loss compares it with gets a gradient too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.network_calls import NetworkCalls
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed, Noted, noted_at
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.engine.walk import leaves_of, walk_order
from autograd_lint.libraries.torch.events import OperatorRun, PassBegun, TensorCopied
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.libraries.torch.training.running import in_optimizer
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter

LOSSES = {
    *("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss"),
    *("MSELoss", "SmoothL1Loss", "L1Loss", "HuberLoss", "sub"),
    *("cosine_similarity", "CosineSimilarity", "kl_div", "KLDivLoss"),
}
DIFFERENCE = "sub"  # of the ones above, a comparison only where its sign does not count
SHAPING = {"squeeze", "unsqueeze", "view", "reshape", "flatten"}
# What a target is bounded by, and what ends it with an episode (`torch.where(done, r, r + v)`).
BOUNDING = {"clamp", "clamp_min", "clamp_max", "minimum", "where", "nan_to_num"}
JOINING = {"stack", "cat"}
PICKING = {"getitem", "index_select", "masked_select", "gather"}
# What makes the same of both signs of a difference, and what drops one.
EVEN = {"pow", "square", "abs", "norm", "vector_norm", "matrix_norm"} | LOSSES - {DIFFERENCE}
ONE_SIDED = {"relu", "clamp", "clamp_min", "max", "maximum", "softplus", "logsigmoid"}
DARING = 2  # the weight of what is no more than possible
MEANT = frozenset({Assumption(Kind.MEANT_AS_TARGET, weight=0)})


@dataclass(slots=True, eq=False, repr=False)
class CopiedParameters(Listener):
    """What was made of other tensors: read by several checkers.

    `copies` are parameters that were made of another one, each with the storage of that, `made`
    where, by identity, `filled` the memories that a memory was filled from.
    """

    copies: dict[int, tuple[Tensor, Storage]] = field(default_factory=dict)
    made: dict[int, Place] = field(default_factory=dict)
    filled: dict[int, set[int]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TensorCopied, cls.copied)
        to.add(cls, OperatorRun, cls.operator_run, only="copy_".__eq__)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """`copy.copy_(original)`, other than in a step of an optimizer."""
        given = event.operation.arguments
        copy, original = given.get("0"), given.get("1")
        if isinstance(copy, Tensor) and isinstance(original, Tensor) and not in_optimizer(interp):
            self.fill(copy, original)

    def copied(self, interp: Interpreter, event: TensorCopied) -> None:
        """A parameter was made, or filled, from another one; a state loaded back is no copy."""
        copy, original = event.copy, event.original
        if copy.storage.memory == original.storage.memory:
            return
        self.copies[id(copy)] = (copy, original.storage)
        if event.node is not None:
            self.made[id(copy)] = interp.place(event.node)
        self.fill(copy, original)

    def fill(self, copy: Tensor, original: Tensor) -> None:
        """The memory of a tensor was filled from that of another one, or from itself.

        Not by a part of itself: `w[:] *= 2` changes it where it lies.
        """
        if (copy.base or copy) is (original.base or original):
            return
        memories = self.filled.setdefault(copy.storage.memory, set())
        memories.add(original.storage.memory)


class Targets(Checker):
    """Looks at each comparison that a backward goes through: with a copy of the network, and with
    what it says of what comes later."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go into both sides of a comparison with a copy?"""
        walk = event.walk
        if walk.call.place is None:
            return
        compared = [
            node for node in walk.order if len(node.edges) == 2 and last_name(node) in LOSSES
        ]
        squared = squared_in(walk) if DIFFERENCE in map(last_name, compared) else set()
        for node in compared:
            if last_name(node) != DIFFERENCE or id(node) in squared:
                if interp.state(CopiedParameters).filled:
                    _judge(interp, node, walk)
                _judge_bootstrap(interp, node, walk)


def last_name(node: Node) -> str:
    """The operator of a node, without the module that it is from."""
    return node.operator.rpartition(".")[2]


def squared_in(walk: Pass) -> set[int]:
    """The nodes whose values are squared in a loss, or taken without their sign, by identity.

    What is only one of the terms of a loss is not, nor is a margin, of which one sign counts.
    """
    found: set[int] = set()
    for node in walk.order:
        squares = len(node.edges) == 2 and node.edges[0] is node.edges[1]
        even = squares or last_name(node) in EVEN
        if even or (id(node) in found and last_name(node) not in ONE_SIDED):
            found.update(map(id, node.edges))
    return found


def _judge(interp: Interpreter, node: Node, walk: Pass) -> None:
    sides = [_leaves(edge) for edge in node.edges]
    if not all(sides):
        return  # compared with data: what has parameters is what learns
    trained = _trained_memories(interp)
    for target, source, edge in (
        (sides[1], sides[0], node.edges[1]),
        (sides[0], sides[1], node.edges[0]),
    ):
        if edge.leaf is not None:
            continue  # a weight itself, compared with what became of it: no network computes it
        originals = {leaf.storage.memory for leaf in source.values()}
        for key, leaf in target.items():
            own = leaf.storage.memory
            memories = interp.state(CopiedParameters).filled.get(own, set())
            followed = memories & (originals if own in trained else originals | trained)
            other = key not in source and followed and not _learns(interp, leaf, source)
            if other or (key in source and own in memories):
                note(
                    interp,
                    Pitfall.TARGET_LEARNS,
                    edge.place or node.place,
                    leaf=leaf,
                    needed=Needed(walk.call.place, walk.call.name),
                    noted=(*computed_at(interp, edge, leaf), *optimizing(interp, [leaf])),
                )
                return


def computed_at(interp: Interpreter, target: Node, leaf: Tensor) -> tuple[Noted, ...]:
    """Where the network that a leaf is of was called for a target."""
    called = interp.state(NetworkCalls).last_of({id(leaf)}, target)
    return noted_at(called, "the target is computed here")


def optimizing(interp: Interpreter, leaves: Iterable[Tensor]) -> Iterator[Noted]:
    """Where an optimizer was made that has some of the parameters of a target."""
    own = set(map(id, leaves))
    for stepping in interp.state(TrainingRecord).optimizers.values():
        if not own.isdisjoint(map(id, optimized(stepping.optimizer))):
            yield Noted(stepping.made.place, "this optimizer has its parameters")
            return


def _trained_memories(interp: Interpreter) -> set[int]:
    """The memories of all that the optimizers of a run were given."""
    known = interp.state(TrainingRecord).optimizers.values()
    return {leaf.storage.memory for one in known for leaf in optimized(one.optimizer)}


def _learns(interp: Interpreter, leaf: Tensor, originals: Collection[int]) -> bool:
    """Whether a copy has an optimizer to itself: then it is a network of its own, and no target."""
    for stepping in interp.state(TrainingRecord).optimizers.values():
        held = {id(tensor) for tensor in optimized(stepping.optimizer)}
        if id(leaf) in held and held.isdisjoint(originals):
            return True
    return False


def _judge_bootstrap(interp: Interpreter, node: Node, walk: Pass) -> None:
    """`v(s)` compared with `reward + discount * v(later)`: the network runs after itself, or has
    given the values of several states at once."""
    shifted = [(edge, _shifted(edge)) for edge in node.edges]
    (target, inner), (other, plain) = sorted(shifted, key=lambda pair: pair[1] is None)
    if inner is None or plain is not None or _shifted(below(other, PICKING)) is not None:
        return  # both are scaled and shifted alike: neither is more than the other
    sides = [{id(part): part for part in walk_order([side], None)} for side in (inner, other)]
    shared = [part for key, part in sides[0].items() if key in sides[1]]
    leaves = [one.leaf for one in shared if one.leaf is not None and one.leaf.parameter]
    if leaves and (len(leaves) == len(shared) or _pick_from_one(inner, below(other, SHAPING))):
        note(
            interp,
            Pitfall.TARGET_LEARNS,
            target.place or node.place,
            tensor=leaves[0].name,
            needed=Needed(walk.call.place, walk.call.name),
            noted=computed_at(interp, target, leaves[0]),
            assumptions=MEANT,
        )


def _pick_from_one(one: Node, other: Node) -> bool:
    """Whether two nodes take elements out of one tensor of values."""
    return one.operator == other.operator == "getitem" and one.edges[0] is other.edges[0]


def _shifted(node: Node) -> Node | None:
    """What is scaled in a sum of data and of something scaled; None for anything else. Of several
    such sums, one for each state, it is that of the first."""
    node = below(node, SHAPING | BOUNDING)
    trained = _trained(node)
    if node.operator in JOINING and trained:
        parts = [_shifted(one) for one in trained]
        return parts[0] if None not in parts else None
    if node.operator not in {"add", "radd"} or len(trained) != 1:
        return None
    inner = below(trained[0], SHAPING)
    scaled = below(inner, SHAPING | {"mul", "rmul"})
    return scaled if scaled is not inner else None


def below(node: Node, operators: Collection[str]) -> Node:
    """The first node that is none of these, below ones that only lead on."""
    while node.operator in operators and len(trained := _trained(node)) == 1:
        node = trained[0]
    return node


def _trained(node: Node) -> list[Node]:
    """What a node leads to, without what is rather data: whose graph takes too much to assume."""
    return [edge for edge in node.edges if sum(why.weight for why in edge.requires) < DARING]


def _leaves(node: Node) -> dict[int, Tensor]:
    return {id(leaf): leaf for leaf in leaves_of([node])}
