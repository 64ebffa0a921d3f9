"""Frameworks that own a part of the training step: `accelerate.Accelerator`, `lightning.Fabric`.

They hand back what they are given, moved or wrapped, and run backward on the loss they are given.
Sources: `Accelerator.prepare` and `.backward` in accelerate/accelerator.py, `Fabric.setup` and
`.backward` in lightning/fabric/fabric.py.
"""

from __future__ import annotations

from autograd_lint.engine.shapes import numel
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.apply import as_tensor
from autograd_lint.libraries.torch.backward import call_backward
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Items, Native, Unknown, Value

ACCELERATORS = {
    *("accelerate.Accelerator", "accelerate.accelerator.Accelerator"),
    *("lightning.Fabric", "lightning.fabric.Fabric", "lightning_fabric.Fabric"),
}
RETURNING_ARGUMENTS = (
    *("prepare", "prepare_model", "prepare_optimizer", "prepare_data_loader", "unwrap_model"),
    *("setup", "setup_module", "setup_optimizers", "setup_dataloaders"),
)


def make_accelerator(interp: Interpreter, call: Call) -> Value:
    """An object with the methods by which a program hands a part of its step over."""
    methods: dict[str, Value] = {
        name: Native(name, _return_arguments) for name in RETURNING_ARGUMENTS
    }
    methods["backward"] = Native("backward", backward_of)
    return Instance(External("accelerate.Accelerator"), methods, made_at=call.node)


def _return_arguments(interp: Interpreter, call: Call) -> Value:
    if call.open or not call.args:
        return Unknown(interp.text(call.node))
    for value in call.args:
        if isinstance(value, Unknown) and value.tensor is None:
            value.source = None  # a module, an optimizer, a loader or a schedule: no tensor
    return call.args[0] if len(call.args) == 1 else Items("tuple", list(call.args))


def backward_of(interp: Interpreter, call: Call) -> Value:
    """`framework.backward(loss)`: backward of a loss, with the options of `Tensor.backward`."""
    tensor = as_tensor(interp, call.get(0, "loss", call.keywords.get("tensor")))
    if tensor is None:
        interp.led_astray()
    else:
        call_backward(interp, [tensor], Call([], call.keywords, call.node), None)
    return None


def run_backward(interp: Interpreter, call: Call) -> None:
    """`framework.backward(loss)`, by a framework that is not known: it may do more than that."""
    loss = call.args[0]
    if isinstance(loss, Unknown) and (loss.tensor is not None or loss.source is not None):
        loss = as_tensor(interp, loss)
    interp.led_astray()
    if not isinstance(loss, Tensor) or numel(loss.shape) not in (None, 1):
        return  # the gradient of something that is not known
    if loss.requires_grad is not None:
        call_backward(interp, [loss], Call([], call.keywords, call.node), None)
