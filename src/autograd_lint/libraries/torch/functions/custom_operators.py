"""`torch.library.custom_op`: operators of the program's own, which run below autograd.

Source: torch/_library/custom_ops.py and torch/_library/autograd.py: without `register_autograd`
the node of such an operator raises in backward.
"""

from __future__ import annotations

import re

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor, either
from autograd_lint.engine.views import edge
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Function, Instance, Native, Value

DEFINITION = External("torch.library.CustomOpDef")
# Formulas are registered by a method of the operator, by its name, or by a dispatch key.
REGISTERED = re.compile(r"register_autograd|['\"]Autograd")


def custom_operator(interp: Interpreter, call: Call) -> Value:
    """`custom_op(name, fn, *, mutates_args)`, as a rule without `fn` as a decorator.

    By its tags an operator may say that it returns an input (`torch.Tag.inplace`).
    """
    name, given = call.get(0, "name"), call.get(1, "fn")
    if not isinstance(name, str):
        return given
    tagged = "tags" in call.keywords
    if isinstance(given, Function):
        return _define(name, given, tagged=tagged)

    def define(_: Interpreter, inner: Call) -> Value:
        return _define(name, inner.get(0, "fn"), tagged=tagged)

    return Native("custom_op", define)


def _define(name: str, function: Value, *, tagged: bool) -> Value:
    if not isinstance(function, Function):
        return function

    def run(interp: Interpreter, call: Call) -> Value:
        return _run(interp, name, function, call, tagged=tagged)

    registers = ("register_autograd", "register_fake", "register_kernel", "register_vmap")
    members: dict[str, Value] = {member: Native(member, _register) for member in registers}
    members["__call__"] = Native(name, run)
    return Instance(DEFINITION, members)


def _register(interp: Interpreter, call: Call) -> Value:
    """A decorator, or one that is called by hand: what is registered is not followed."""
    return call.args[0] if call.args else Native("register", _register)


def _run(interp: Interpreter, name: str, function: Function, call: Call, *, tagged: bool) -> Value:
    """Run the function without graph, and make one node."""
    given = [as_tensor(interp, value) for value in (*call.args, *call.keywords.values())]
    tensors = [tensor for tensor in given if tensor is not None]
    with interp.engine.mode(grad=False):
        result = call_value(interp, function, call)
    results = list(tensors_in(result))
    if not tagged:
        _judge_aliases(interp, function, tensors, results, call)
    requires = either(*(tensor.requires_grad for tensor in tensors))
    if requires is None or not interp.engine.recording:
        return result
    place = interp.place(call.node)
    edges = [edge(interp.engine, tensor, place) for tensor in tensors]
    known = interp.query(function.source, _registers)
    error = f"Trying to backward through {name} but no autograd formula was registered"
    node = Node(
        function.name,
        function.source.place(function.node),
        interp.engine.next_node(),
        requires,
        [target for target in edges if target is not None],
        opaque=known,
        error="" if known else error,
    )
    for tensor in results:
        if tensor.dtype not in ("int", "bool"):
            tensor.node, tensor.requires, tensor.made = node, requires, node.created
    return result


def _judge_aliases(
    interp: Interpreter,
    function: Function,
    inputs: list[Tensor],
    results: list[Tensor],
    call: Call,
) -> None:
    """Report a result on the memory of an input, which custom operators must not have."""
    if any(result.storage is tensor.storage for result in results for tensor in inputs):
        built = Created(function.source.place(function.node), function.name)
        detail = "a custom operator must not return an input, nor a view of one"
        refuse(interp, call.node, function.name, detail, built=built)


@query
def _registers(source: Source) -> bool:
    """Whether a formula for backward is registered somewhere in a file."""
    return REGISTERED.search(source.text) is not None
