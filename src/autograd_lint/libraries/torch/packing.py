"""The context managers that put hooks on what is saved."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.parts import Packing, Refused
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import Manager
from autograd_lint.vm.values import Function, Items, Mapping, Value

ON_CPU = frozenset({Assumption(Kind.RUNS_ON_CPU, weight=0)})  # what is there is not copied


def _disable(interp: Interpreter, call: Call) -> Value:
    """`with disable_saved_tensors_hooks(message):`, inside of which there must be none."""
    disabled = Created(interp.place(call.node), "disable_saved_tensors_hooks")

    @contextmanager
    def enter(interp: Interpreter) -> Iterator[Value]:
        before, interp.engine.hooks.unhooked = interp.engine.hooks.unhooked, disabled
        try:
            yield None
        finally:
            interp.engine.hooks.unhooked = before

    return Manager(enter)


def _refuse_disabled(interp: Interpreter, call: Call) -> None:
    disabled = interp.engine.hooks.unhooked
    if disabled is not None:
        name, detail = interp.text(call.node), "saved tensors hooks are disabled here"
        refuse(interp, call.node, name, detail, built=disabled)


def _save_on_cpu(interp: Interpreter, call: Call) -> Value:
    _refuse_disabled(interp, call)
    return _manager(Packing(True, ON_CPU))


def _allow_mutation(interp: Interpreter, call: Call) -> Value:
    """`with allow_mutation_on_saved_tensors():`: what is saved is cloned before it is written."""
    return _manager(Packing(keeps=False))


def _saved_tensors_hooks(interp: Interpreter, call: Call) -> Value:
    _refuse_disabled(interp, call)
    pack, unpack = call.get(0, "pack_hook"), call.get(1, "unpack_hook")
    return _manager(Packing(_is_identity(pack), refused=_refused(interp, pack, unpack, call)))


def _refused(interp: Interpreter, pack: Value, unpack: Value, call: Call) -> Refused | None:
    """What PyTorch refuses of a pair of hooks, tried on a tensor of its own.

    Source: torch/csrc/autograd/python_saved_variable_hooks.cpp and saved_variable.cpp.
    """
    saved = Tensor(name="what is saved")
    with interp.engine.mode(grad=False):
        packed = call_value(interp, pack, Call([saved], {}, call.node))
        unpacked = call_value(interp, unpack, Call([packed], {}, call.node))
    if saved.storage.writes:
        event = saved.storage.writes[0].event
        detail = "A saved tensor pack hook is modifying its input in place"
        return Refused(detail, Created(event.place, event.operator), saving=True)
    if unpacked is None or isinstance(unpacked, (bool, int, float, str, Items, Mapping)):
        built = Created(interp.place(call.node), "saved_tensors_hooks")
        return Refused("the unpack hook returns no tensor", built, saving=False)
    return None


def _manager(packing: Packing) -> Manager:
    """A context manager inside of which that is how tensors are saved."""

    @contextmanager
    def enter(interp: Interpreter) -> Iterator[Value]:
        before, interp.engine.hooks.packing = interp.engine.hooks.packing, packing
        try:
            yield None
        finally:
            interp.engine.hooks.packing = before

    return Manager(enter)


def _is_identity(function: Value) -> bool:
    """Whether a function plainly returns what it is given."""
    if not isinstance(function, Function) or not function.node.args.args:
        return False
    body = function.node.body
    last = body[-1] if isinstance(body, list) and len(body) == 1 else body
    result = last.value if isinstance(last, ast.Return) else last
    return isinstance(result, ast.Name) and result.id == function.node.args.args[0].arg


PACKING = {
    "torch.autograd.graph.allow_mutation_on_saved_tensors": _allow_mutation,
    "torch.autograd.graph.disable_saved_tensors_hooks": _disable,
    "torch.autograd.graph.save_on_cpu": _save_on_cpu,
    "torch.autograd.graph.saved_tensors_hooks": _saved_tensors_hooks,
}
