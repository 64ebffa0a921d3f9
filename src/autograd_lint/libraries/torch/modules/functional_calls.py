"""`torch.func.functional_call`: a module run with other parameters in the place of its own.

Mirrors torch/nn/utils/stateless.py, and `stack_module_state` of
torch/_functorch/functional_call.py.
"""

from __future__ import annotations

from autograd_lint.engine.events import Created
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.modules import complete, parameters
from autograd_lint.libraries.torch.modules.opaque_modules import result_of
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import elements
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items, Mapping, Unknown, Value


def functional_call(interp: Interpreter, call: Call) -> Value:
    """`functional_call(module, {name: tensor}, args, kwargs)`."""
    module = call.get(0, "module")
    several = _mappings(call.get(1, "parameter_and_buffer_dicts"))
    inner = _inner(call)
    if not isinstance(module, Instance) or not is_module(module) or not several or inner is None:
        return result_of(interp, Unknown(interp.text(call.node)), call)
    given = _merged(several)
    if any(one.rest is not None for one in several) and not _names_all(module, given):
        return result_of(interp, Unknown(interp.text(call.node)), call)
    before: list[tuple[Instance, str, Value]] = []
    for dotted, value in given.items():
        *path, name = str(dotted).split(".")
        owner = _below(module, path)
        if owner is not None and name in owner.attributes:
            before.append((owner, name, owner.attributes[name]))
            owner.attributes[name] = value
    try:
        return call_value(interp, module, inner)
    finally:
        for owner, name, value in reversed(before):
            owner.attributes[name] = value


def stack_module_state(interp: Interpreter, call: Call) -> Value:
    """`stack_module_state(modules)`: the parameters of several modules in new leaves, by name.

    What is trained with these trains none of the modules. The buffers are not told.
    """
    given = call.get(0, "models")
    several = elements(given, "list") if isinstance(given, Items) and given.closed else []
    models = [one for one in several if isinstance(one, Instance) and is_module(one)]
    if not models or len(models) < len(several) or not all(map(complete, models)):
        return result_of(interp, Unknown(interp.text(call.node)), call)
    made = Created(interp.place(call.node), "stack_module_state")
    stacked: dict[Value, Value] = {
        name: _stacked(parameter, len(models), made) for name, parameter in parameters(models[0])
    }
    return Items("tuple", [Mapping(stacked), Mapping({})])


def _stacked(parameter: Tensor, count: int, made: Created) -> Tensor:
    shape = None if parameter.shape is None else (count, *parameter.shape)
    return Tensor(requires=parameter.requires_grad, dtype=parameter.dtype, shape=shape, made=made)


def _mappings(value: Value) -> list[Mapping]:
    """The dictionaries that are given, one or several; none where not all are known."""
    several = list(value.items) if isinstance(value, Items) and value.closed else [value]
    found = [one for one in several if isinstance(one, Mapping)]
    return found if len(found) == len(several) else []


def _merged(several: list[Mapping]) -> dict[Value, Value]:
    """All that dictionaries name together."""
    return {name: value for each in several for name, value in each.entries.items()}


def _names_all(module: Instance, given: dict[Value, Value]) -> bool:
    """Whether each parameter of a module has a name in a dictionary: what else that holds, as a
    `state_dict()` may, are buffers then."""
    return complete(module) and all(name in given for name, _ in parameters(module))


def _inner(call: Call) -> Call | None:
    """The call of the module itself; a single argument need not stand in a tuple."""
    given, keywords = call.get(2, "args", Items("tuple", [])), call.get(3, "kwargs")
    if isinstance(given, Items) and given.kind == "tuple" and not given.closed:
        return None
    args = elements(given, "tuple")
    if keywords is not None and not isinstance(keywords, Mapping):
        return None
    named = {str(key): value for key, value in keywords.entries.items()} if keywords else {}
    return Call(args, named, call.node)


def _below(module: Instance, path: list[str]) -> Instance | None:
    """The module at a dotted path."""
    for name in path:
        child = module.attributes.get(name)
        if not isinstance(child, Instance):
            return None
        module = child
    return module


FUNCTIONAL_CALLS = {
    "torch.func.functional_call": functional_call,
    "torch.nn.utils.stateless.functional_call": functional_call,
    "torch.func.stack_module_state": stack_module_state,
}
