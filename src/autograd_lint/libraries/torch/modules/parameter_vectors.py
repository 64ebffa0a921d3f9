"""`torch.nn.utils.parameters_to_vector`: parameters laid end to end, with their graph.

Mirrors torch/nn/utils/convert_parameters.py.
"""

from __future__ import annotations

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.opaque_modules import result_of
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import all_of
from autograd_lint.vm.iteration import MOST, begin_iteration, iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value


def parameters_to_vector(interp: Interpreter, call: Call) -> Value:
    """`parameters_to_vector(parameters)`: `cat` of a flat view of each."""
    given = call.get(0, "parameters")
    begin_iteration(interp, given, call.node)
    iteration = iterate(interp, given, call.node)
    found = iteration.gathered() if iteration.complete else []
    if not 0 < len(found) < MOST or not all_of(found, Tensor):
        return result_of(interp, Unknown(interp.text(call.node)), call)
    flat: list[Value] = [
        apply_operator(interp, "torch.Tensor.view", [one, -1], {}, call.node) for one in found
    ]
    return apply_operator(interp, "torch.cat", [Items("list", flat)], {}, call.node)


PARAMETER_VECTORS = {"torch.nn.utils.parameters_to_vector": parameters_to_vector}
