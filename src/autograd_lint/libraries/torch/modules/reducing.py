"""What `DistributedDataParallel` asks of each iteration: that every parameter gets a gradient.

Its reducer waits for all gradients of a backward; where one does not come, the next call of the
module raises. Source: `ensure_prior_reduction_finished` in torch/csrc/distributed/c10d/reducer.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.modules.hooks import register_hook
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Native, Value

_LENIENT = ("find_unused_parameters", "static_graph")
_DETAIL = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This"
    " error indicates that your module has parameters that were not used in producing loss: "
)


def reduce_gradients(interp: Interpreter, module: Instance, call: Call) -> None:
    """Let calls of a module be refused after an iteration that left a parameter out."""
    if all(call.keywords.get(name, False) is False for name in _LENIENT):
        reducer = _Reducer(module)
        register_hook(module, "forward_pre", Native("DistributedDataParallel", reducer.called))


@dataclass
class _Reducer:
    """Waits for the gradients of a module.

    `seen` backwards were run, and `cut_short` loops not run to their end, before its last call. A
    loop over layers that was left early has not used the others: of them nothing is said.
    """

    module: Instance
    seen: int | None = None
    cut_short: int = 0

    def called(self, interp: Interpreter, call: Call) -> Value:
        """The module is going to be run; a hook that changes nothing."""
        if interp.engine.recording:
            if self.seen is not None and self.cut_short == interp.record.cut_short:
                self._judge(interp, interp.engine.backward.passes[self.seen :], call)
            self.seen, self.cut_short = len(interp.engine.backward.passes), interp.record.cut_short
        return None

    def _judge(self, interp: Interpreter, passes: list[Pass], call: Call) -> None:
        reached = {id(leaf) for walk in passes for leaf in walk.leaves()}
        named = list(_parameters(self.module))
        unused = [(name, made) for name, tensor, made in named if id(tensor) not in reached]
        began = any(id(tensor) in reached for _, tensor, _ in named)
        if unused and began and not interp.opaque_backward:
            names = ", ".join(name for name, _ in unused)
            built = next((made for _, made in unused if made is not None), None)
            refuse(interp, call.node, "DistributedDataParallel", _DETAIL + names, built=built)


def _parameters(
    module: Instance, path: str = "", made: Created | None = None
) -> list[tuple[str, Tensor, Created | None]]:
    """The parameters that certainly require grad, by dotted names, with the layer of each."""
    found = []
    made = module.made or made
    for name, value in module.attributes.items():
        if isinstance(value, Tensor) and value.parameter and value.requires == CERTAINLY:
            found.append((f"{path}{name}", value, made))
        elif isinstance(value, Instance) and is_module(value):
            found += _parameters(value, f"{path}{name}.", made)
    return found
