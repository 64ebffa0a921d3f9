"""Hooks of modules: those that run around `forward`, and what backward hooks do to its tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import CreationMeta, Tensor
from autograd_lint.engine.views import edge, make_view
from autograd_lint.interpreter.calls import Call, call_value
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.values import External, Instance, Items, Native, Unknown, Value

Forward = Callable[[Interpreter, Instance, Call], Value]


def register_hook(instance: Instance, kind: str, hook: Value) -> Value:
    """Put a hook on a module; what is returned takes it off again.

    Source: `RemovableHandle` in torch/utils/hooks.py.
    """
    hooks = instance.hooks.setdefault(kind, [])
    hooks.append(hook)

    def remove(interp: Interpreter, call: Call) -> Value:
        if hook in hooks:
            hooks.remove(hook)
        return None

    return Instance(
        External("torch.utils.hooks.RemovableHandle"), {"remove": Native("remove", remove)}
    )


def run_hooked(interp: Interpreter, instance: Instance, call: Call, forward: Forward) -> Value:
    """`forward` between its hooks.

    Source: `Module._call_impl` in torch/nn/modules/module.py.
    """
    hooks = instance.hooks
    _before(interp, instance, call)
    inputs = Items("tuple", list(call.args))
    if "full_backward" in hooks:
        call = Call([watched(interp, a, call.node) for a in call.args], call.keywords, call.node)
    result = forward(interp, instance, call)
    for hook in list(hooks.get("forward", ())):
        changed = call_value(interp, hook, Call([instance, inputs, result], {}, call.node))
        result = result if changed is None or isinstance(changed, Unknown) else changed
    return watched(interp, result, call.node) if "full_backward" in hooks else result


def _before(interp: Interpreter, instance: Instance, call: Call) -> None:
    for hook in list(instance.hooks.get("forward_pre", ())):
        inputs = Items("tuple", list(call.args))
        changed = call_value(interp, hook, Call([instance, inputs], {}, call.node))
        if changed is not None and not isinstance(changed, Unknown):
            call.args = list(changed.items) if isinstance(changed, Items) else [changed]


def watched(interp: Interpreter, value: Value, node: ast.AST) -> Value:
    """What a full backward hook makes of inputs and results: views that refuse in-place work.

    Source: `BackwardHook` in torch/utils/hooks.py, which sends them through a custom Function.
    """
    if isinstance(value, Items) and value.kind == "tuple":
        return Items("tuple", [watched(interp, item, node) for item in value.items], value.rest)
    if not isinstance(value, Tensor) or value.requires_grad is None:
        return value
    if not interp.engine.grad_enabled:
        return value
    place = interp.place(node)
    target = edge(interp.engine, value, place)
    view = make_view(interp.engine, value)
    view.shape, view.contiguous, view.name = value.shape, value.contiguous, value.name
    view.creation = CreationMeta.CUSTOM_FUNCTION
    view.requires = value.requires_grad
    targets = [] if target is None else [target]
    view.node = Node(
        "BackwardHookFunction", place, interp.engine.tick(), value.requires_grad, targets
    )
    return view
