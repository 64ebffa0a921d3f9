"""Hooks of tensors: where they may be registered, and what they may return.

Mirrors `THPVariable_register_hook` and `check_result` of torch/csrc/autograd/python_hook.cpp.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.shapes import differ
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.views import edge, follow_base
from autograd_lint.libraries.torch.events import HookRegistered, HookRun, TensorObserved
from autograd_lint.libraries.torch.modules.hooks import removable
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Bound, Function, Unknown, Value


def register_hook(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """`tensor.register_hook(hook)`."""
    place = interp.place(call.node)
    if tensor.requires_grad is None:
        interp.engine.backward.reached.add(place)
        detail = "cannot register a hook on a tensor that doesn't require gradient"
        refuse(interp, call.node, "register_hook", detail, tensor=tensor.name)
    follow_base(interp.engine, tensor, place)
    hook = call.get(0, "hook")
    returned = _run_hook(interp, tensor, hook, call.node)
    registered = [hook]
    if isinstance(hook, Function):
        _await_backward(interp, tensor, hook, returned, registered, place)
    interp.emit(TensorObserved(tensor, "register_hook", place))
    interp.emit(HookRegistered(tensor, hook, "register_hook", place, registered))
    return removable([registered], hook)


def _run_hook(interp: Interpreter, tensor: Tensor, hook: Value, node: ast.AST) -> Value:
    """What a hook on a tensor returns for a gradient of it."""
    if isinstance(hook, Bound) or tensor.requires_grad is None:
        return None
    gradient = Tensor(name="the gradient", dtype=tensor.dtype, shape=tensor.shape)
    with interp.engine.mode(grad=False):
        returned = call_value(interp, hook, Call([gradient], {}, node))
    interp.emit(HookRun(tensor, gradient))
    return returned


def register_post_accumulate_grad_hook(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """`tensor.register_post_accumulate_grad_hook(hook)`, which only leaves take."""
    name, detail = "register_post_accumulate_grad_hook", ""
    if tensor.requires_grad is None:
        detail = "cannot register a hook on a tensor that doesn't require gradient"
    elif not tensor.is_leaf and not (tensor.node is not None and tensor.node.opaque):
        detail = "post accumulate grad hooks cannot be registered on non-leaf tensors"
    if detail:
        because = tensor.requires_grad or CERTAINLY
        refuse(interp, call.node, name, detail, tensor=tensor.name, assumptions=because)
    return Unknown(interp.text(call.node), hint="handle")


def _await_backward(
    interp: Interpreter,
    tensor: Tensor,
    hook: Function,
    returned: Value,
    registered: list[Value],
    place: Place | None,
) -> None:
    """Have backward refuse what the hook returned, where it is no gradient of the tensor.

    Once the hook is no longer `registered` it is let be.
    """
    found = _why_not(tensor, hook, returned)
    node = edge(interp.engine, tensor, place)
    if found is None or node is None or node.opaque:
        return
    detail, assumptions = found
    before, because = node.run, assumptions | (tensor.requires_grad or CERTAINLY)
    built = Created(hook.source.place(hook.node), hook.name)

    def run(needed_at: Place | None) -> None:
        if registered:
            refuse(interp, needed_at, "backward", detail, built=built, assumptions=because)
        if before is not None:
            before(needed_at)

    node.run = run


def _why_not(
    tensor: Tensor, hook: Function, returned: Value
) -> tuple[str, frozenset[Assumption]] | None:
    """Why backward does not take what a hook returned, and what that rests on."""
    name = f"hook '{hook.name}'"
    if isinstance(returned, (int, float, str)):
        kind = type(returned).__name__
        return f"expected Variable, but hook returned '{kind}'", CERTAINLY
    if not isinstance(returned, Tensor):
        return None
    if differ(tensor.shape, returned.shape):
        return f"{name} has changed the size of value", CERTAINLY
    known = tensor.dtype is not None and returned.dtype is not None
    if known and tensor.dtype != returned.dtype:
        return f"{name} has changed the type of value", CERTAINLY
    if returned.precision and returned.precision != tensor.precision:
        because = Assumption(Kind.GRADIENT_IN_OTHER_PRECISION, detail=returned.precision)
        return f"{name} has changed the type of value", frozenset({because})
    return None
