"""What was computed from the gradient of one leaf: a leaf that is written with it takes a step."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.libraries.torch.events import (
    DataSet,
    GradientRead,
    LeafMoved,
    LeafUpdated,
    OperatorRun,
)
from autograd_lint.libraries.torch.training.running import in_optimizer
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class GradientValues(Listener):
    """The memories that hold what came of a gradient, each with the leaf whose gradient it is."""

    leaves: dict[int, tuple[Storage, Tensor]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, OperatorRun, cls.operator_run)
        to.add(cls, DataSet, cls.data_set)

    def leaf_behind(self, tensor: Tensor) -> Tensor | None:
        """The leaf from whose gradient a tensor was computed."""
        found = self.leaves.get(tensor.storage.memory)
        return found[1] if found is not None else None

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        leaf = event.tensor
        if leaf.grad is not None and leaf.is_leaf:
            storage = leaf.grad.storage
            self.leaves[storage.memory] = (storage, leaf)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """What is computed from the gradient of one leaf goes on from there."""
        operation = event.operation
        if not self.leaves or operation.place is None:
            return
        found = [self.leaf_behind(tensor) for tensor in operation.tensors()]
        leaves = {id(leaf): leaf for leaf in found if leaf is not None}
        if len(leaves) != 1:
            return
        (leaf,) = leaves.values()
        for target in operation.written or event.results:
            if target.storage.memory == leaf.storage.memory:
                _updated(interp, leaf, operation.place, operation.operator)
            else:
                self.leaves.setdefault(target.storage.memory, (target.storage, leaf))

    def data_set(self, interp: Interpreter, event: DataSet) -> None:
        if self.leaf_behind(event.value) is event.tensor:
            _updated(interp, event.tensor, event.place, ".data")


def _updated(interp: Interpreter, leaf: Tensor, place: Place, operator: str) -> None:
    event = LeafMoved if in_optimizer(interp) else LeafUpdated
    interp.emit(event(leaf, place, operator))
