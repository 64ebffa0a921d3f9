"""Methods that stand without parentheses, so that they are not called."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import MethodNotCalled
from autograd_lint.libraries.torch.training.optimizers import is_optimizer
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Bound, Method, Native, Value

TELLING = {"backward", "zero_grad"}  # what nothing but tensors, modules and optimizers have
TRAINING = {"backward", "step", "zero_grad"}  # without arguments; other methods may want some
AFTER_STEP = {"update"}  # of a gradient scaler
NUMBERS = {"item", "tolist", "numpy"}  # what is read to be kept outside of a graph
# Methods of tensors that are called without arguments more often than not.
PLAIN = (
    NUMBERS
    | {"abs", "all", "any", "argmax", "argmin", "clone", "contiguous", "cpu", "cuda", "detach"}
    | {"dim", "double", "exp", "flatten", "float", "half", "int", "isnan", "log", "log2", "long"}
    | {"max", "mean", "min", "neg", "nelement", "norm", "numel", "prod", "relu", "sigmoid", "size"}
    | {"sqrt", "square", "squeeze", "std", "sum", "t", "tanh", "var"}
)
OF_DISTRIBUTIONS = {"mean"}  # what a distribution has as a property
WALKED = {"parameters", "named_parameters", "modules", "named_modules", "children"} | {
    "named_children",
    "buffers",
    "named_buffers",
}


def is_method(interp: Interpreter, value: Bound | Method) -> bool:
    """Whether something is a method of a tensor, a module or an optimizer."""
    owner = value.receiver
    if isinstance(value, Method):
        return is_module(owner) or is_optimizer(owner)
    if isinstance(owner, Tensor):
        return interp.world.table.is_tensor_method(value.name) or value.name in TELLING
    return is_module(owner) or is_optimizer(owner)


def go_on_as_called(interp: Interpreter, node: ast.Attribute, value: Value) -> None:
    """Run a step of training that a statement only names, as if that mistake had been fixed.

    What the call itself would raise is not raised as long as it is none, and no graph is freed.
    """
    if not isinstance(value, (Bound, Native)) or not _trains(interp, value):
        return
    options: dict[str, Value] = {"retain_graph": True} if value.name == "backward" else {}
    before, faults = len(interp.engine.faults), interp.engine.faults
    call_value(interp, value, Call([], options, node))
    place = interp.place(node)
    faults[before:] = [one for one in faults[before:] if one.place != place]


def _trains(interp: Interpreter, value: Bound | Native) -> bool:
    if isinstance(value, Native):
        return value.name in AFTER_STEP
    return value.name in TRAINING and is_method(interp, value)


def go_on_with_result(interp: Interpreter, value: Bound) -> Value:
    """What a method would give that the program computes with as if it had been called."""
    owner = value.receiver
    if value.node is None or value.source is None:
        return value
    if isinstance(owner, Tensor):
        telling = NUMBERS if _is_assumed(owner) else PLAIN
    else:
        telling = WALKED if is_module(owner) else set()
    if value.name not in telling:
        return value
    if value.name in OF_DISTRIBUTIONS and interp.query(value.source, _asks_distributions):
        return value
    interp.emit(MethodNotCalled(value.source.place(value.node), value.name))
    return call_value(interp, Bound(value.receiver, value.name), Call([], {}, value.node))


@query
def _asks_distributions(source: Source) -> bool:
    """Whether a file asks something for what distributions have and tensors do not."""
    return any(mark in source.text for mark in (".stddev", ".variance"))


def _is_assumed(tensor: Tensor) -> bool:
    """Whether something unknown was taken for a tensor: others have a `size` or a `max`, too."""
    return tensor.made is None and tensor.node is not None and tensor.node.opaque
