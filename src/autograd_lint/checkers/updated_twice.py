"""Batch normalization in checkpoints: backward runs it again, and its statistics move again.

x = checkpoint(self.block, x, use_reentrant=False)   # block has a BatchNorm2d in training mode

Source: `_batch_norm_impl_index` updates the running statistics in each forward in training mode;
torch/utils/checkpoint.py runs the function once more in backward.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.drifting_statistics import is_normalization, normalizes
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import FunctionCheckpointed
from autograd_lint.libraries.torch.modules.modules import modules
from autograd_lint.places import Place
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """A layer that has run in a checkpoint, and the node by which backward runs it again."""

    layer: Instance
    node: Node
    made: Place | None
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class UpdatedTwice(Checker):
    """The layers with running statistics that were called, by the graph of their result, and those
    of them that have run in a checkpoint."""

    called: dict[int, tuple[Instance, Node]] = field(default_factory=dict)
    inside: list[Inside] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called, only=is_normalization)
        to.add(cls, FunctionCheckpointed, cls.checkpointed)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A layer has given a result with a graph: does its call move statistics?"""
        layer, node = event.module, event.node
        if isinstance(layer, Instance) and node is not None and _moves(layer):
            self.called[id(node)] = layer, node

    def checkpointed(self, interp: Interpreter, event: FunctionCheckpointed) -> None:
        """A checkpoint has run: which of these layers?"""
        within = [self.called[id(node)] for node in event.nodes if id(node) in self.called]
        if isinstance(event.function, Instance) and event.nodes:
            parts = filter(_moves, modules(event.function))
            within = [(part, event.nodes[0]) for part in parts]
        for layer, node in within:
            made = interp.place(layer.made_at) if layer.made_at is not None else None
            self.inside.append(Inside(layer, node, made, event.place))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them did a backward run again?"""
        for one in self.inside:
            if not one.node.walked_at:
                continue
            note(
                interp,
                Pitfall.UPDATED_TWICE,
                one.place,
                operator=_kind(one.layer),
                built=Created(one.made, _kind(one.layer)) if one.made is not None else None,
                needed=Needed(one.node.walked_by, "backward"),
                assumptions=one.node.requires,
            )


def _moves(layer: Instance) -> bool:
    """Whether a call of a layer moves running statistics in which the latest batches count most.

    Without a momentum they are a mean of all batches, which is the same of each batch twice. A
    program that sets the momentum of a layer allows for that.
    """
    if layer.attributes.get("training") is not True or "momentum" in layer.attributes:
        return False
    return normalizes(layer) and layer.options.get("momentum", 0.1) is not None


def _kind(layer: Instance) -> str:
    return layer.cls.path.rpartition(".")[2] if isinstance(layer.cls, External) else "BatchNorm"
