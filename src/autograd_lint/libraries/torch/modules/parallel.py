"""Modules spread over devices: to autograd each is the module itself.

Source: torch/nn/parallel and torch/distributed/fsdp.
"""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.libraries.library_functions import first
from autograd_lint.libraries.torch.events import ReplicaMade
from autograd_lint.libraries.torch.modules.reducing import reduce_gradients
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.instances import external_class
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Items, Mapping, Value

DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
INSIDE = "module"  # what those call the module that they are given
_NAMES = (INSIDE, "inputs", "device_ids", "output_device", "dim", "module_kwargs")


def _data_parallel(interp: Interpreter, call: Call) -> Value:
    """`data_parallel(module, inputs, device_ids, ..., module_kwargs)`: one call of the module."""
    given = {name: call.get(at, name) for at, name in enumerate(_NAMES)}
    inputs, options = given["inputs"], given["module_kwargs"]
    several = isinstance(inputs, Items) and inputs.kind == "tuple"
    args = inputs.items if isinstance(inputs, Items) and several else [inputs]
    named = options.entries.items() if isinstance(options, Mapping) else ()
    keywords = {name: value for name, value in named if isinstance(name, str)}
    return call_value(interp, given[INSIDE], Call(list(args), keywords, call.node))


def _distributed(interp: Interpreter, call: Call) -> Value:
    """`DistributedDataParallel(module, ...)`: only its own call has gradients averaged."""
    module = call.get(0, INSIDE)
    if not isinstance(module, Instance):
        return module
    reduce_gradients(interp, module, call)
    wrapper = Instance(External(DISTRIBUTED), {"training": True, INSIDE: module})
    interp.emit(ReplicaMade(wrapper, module))
    return wrapper


PARALLEL: dict[str, Callable[[Interpreter, Call], Value]] = {
    "torch.nn.DataParallel": first,
    "torch.nn.parallel.DataParallel": first,
    DISTRIBUTED: _distributed,
    "torch.nn.parallel.data_parallel": _data_parallel,
    "torch.distributed.fsdp.FullyShardedDataParallel": first,
}


def is_wrapper(instance: Instance) -> bool:
    """Whether an object is of a class of the program that derives from one of a wrapper."""
    return any(PARALLEL.get(path) in (first, _distributed) for path in external_class(instance))


def wrap(instance: Instance, call: Call) -> None:
    """What the `__init__` of a wrapper does to the object."""
    instance.attributes[INSIDE] = call.get(0, INSIDE)
