"""`torch.func.functional_call`: a module run with other parameters in the place of its own.

Mirrors torch/nn/utils/stateless.py.
"""

from __future__ import annotations

from autograd_lint.libraries.torch.modules.opaque_modules import result_of
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import elements
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items, Mapping, Unknown, Value


def functional_call(interp: Interpreter, call: Call) -> Value:
    """`functional_call(module, {name: tensor}, args, kwargs)`."""
    module = call.get(0, "module")
    given = _merged(call.get(1, "parameter_and_buffer_dicts"))
    inner = _inner(call)
    if not isinstance(module, Instance) or not is_module(module) or given is None or inner is None:
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


def _merged(value: Value) -> dict[Value, Value] | None:
    """All that one dictionary or several name; None where not all is known."""
    several = list(value.items) if isinstance(value, Items) and value.closed else [value]
    found: dict[Value, Value] = {}
    for each in several:
        if not isinstance(each, Mapping) or each.rest is not None:
            return None
        found.update(each.entries)
    return found


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


FUNCTIONAL_CALLS = dict.fromkeys(
    ("torch.func.functional_call", "torch.nn.utils.stateless.functional_call"), functional_call
)
