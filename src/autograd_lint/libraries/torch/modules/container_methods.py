"""What puts modules and parameters into containers once they are made: `append`, `+=` and others.

Source: torch/nn/modules/container.py.
"""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.libraries.torch.modules.members import add_child
from autograd_lint.libraries.torch.modules.modules import (
    container_name,
    fill_container,
    make_external,
)
from autograd_lint.libraries.torch.modules.parameter_containers import as_element
from autograd_lint.vm.calls import Call
from autograd_lint.vm.containers import put_in
from autograd_lint.vm.events import PartSet
from autograd_lint.vm.instances import elements_of, named_parts
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items, Unknown, Value


def _append(interp: Interpreter, instance: Instance, call: Call) -> Value:
    part = call.get(0, "module", call.get(0, "value"))
    interp.emit(PartSet(instance, None, part, call.node))
    interp.record.grown.append(instance)
    add_child(instance, as_element(interp, instance, part, call.node))
    return instance


def _extend(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """`extend`, `update` and `+=`: what is given is added to what is there."""
    given = call.args[0] if call.args else next(iter(call.keywords.values()), None)
    interp.record.grown.append(instance)
    if isinstance(given, Instance) and container_name(given) is not None:
        rest = given.unknown or (Unknown("a module", "module") if given.partial else None)
        given = named_parts(given) or Items("list", elements_of(given), rest)
    fill_container(interp, instance, Call([given], {}, call.node))
    return instance


def _insert(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """Those behind it move on by one; where it is put is not known, it comes last."""
    index, part = call.get(0, "index"), call.get(1, "module")
    interp.emit(PartSet(instance, None, part, call.node))
    interp.record.grown.append(instance)
    numbered = [key for key in instance.attributes if key.isdigit()]
    parts = [instance.attributes.pop(key) for key in numbered]
    at = index if isinstance(index, int) else len(parts)
    put_in(parts, at, as_element(interp, instance, part, call.node))
    instance.attributes.update({str(position): one for position, one in enumerate(parts)})
    return instance


def _joined(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """`container + others`: a new container with the parts of both."""
    made = make_external(interp, f"torch.nn.{container_name(instance)}", Call([], {}, call.node))
    assert isinstance(made, Instance)
    _extend(interp, made, Call([instance], {}, call.node))
    return _extend(interp, made, call)


CONTAINER_METHODS: dict[str, Callable[[Interpreter, Instance, Call], Value]] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "update": _extend,
    "__add__": _joined,
    "__iadd__": _extend,
}
