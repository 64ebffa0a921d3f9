"""Hooks of modules: those that run around `forward`, and what backward hooks do to its tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import CreationMeta, Tensor
from autograd_lint.engine.views import edge, make_view
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Native,
    Unknown,
    Value,
)

BACKWARD = ("full_backward", "full_backward_pre")


@immutable
class Awaited:
    """The call of a module with backward hooks, and where backward reaches it."""

    node: ast.AST
    needed_at: Place | None


Forward = Callable[[Interpreter, Instance, Call], Value]


def register_hook(instance: Instance, kind: str, hook: Value) -> Value:
    """Put a hook on a module; what is returned takes it off again."""
    hooks = instance.hooks.setdefault(kind, [])
    hooks.append(hook)
    return removable([hooks], hook)


def removable(lists: list[list[Value]], hook: Value) -> Value:
    """What takes a hook off again, out of all lists that hold it.

    Source: `RemovableHandle` in torch/utils/hooks.py.
    """

    def remove(interp: Interpreter, call: Call) -> Value:
        for hooks in lists:
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
    backward = any(hooks.get(kind) for kind in BACKWARD)
    if backward:
        call = Call([watched(interp, a, call.node) for a in call.args], call.keywords, call.node)
    result = forward(interp, instance, call)
    for hook in list(hooks.get("forward", ())):
        changed = call_value(interp, hook, Call([instance, inputs, result], {}, call.node))
        result = result if changed is None or isinstance(changed, Unknown) else changed
    if not backward:
        return result
    if isinstance(result, Mapping) or (isinstance(result, Items) and result.kind != "tuple"):
        _warn_of_result(interp, instance, result, call)
    result = watched(interp, result, call.node)
    _await_backward(interp, instance, inputs, result, call)
    return result


def _warn_of_result(
    interp: Interpreter, instance: Instance, result: Mapping | Items, call: Call
) -> None:
    """Note a result in which backward hooks find no tensor, so that they are not run."""
    kind = result.kind if isinstance(result, Items) else "dict"
    detail = (
        "for backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
        f"but received {kind}"
    )
    hooks = [hook for kind in BACKWARD for hook in instance.hooks.get(kind, ())]
    hook = hooks[0] if hooks else None
    built = Created(hook.source.place(hook.node), hook.name) if isinstance(hook, Function) else None
    refuse(interp, call.node, interp.text(call.node), detail, built=built, warned=True)


def _await_backward(
    interp: Interpreter, instance: Instance, inputs: Items, result: Value, call: Call
) -> None:
    """Have the backward hooks run when backward reaches it, with the gradients that they get.

    Source: `BackwardHook` in torch/utils/hooks.py.
    """
    outputs = result if isinstance(result, Items) else Items("tuple", [result])
    given, wanted = _gradients(inputs), _gradients(outputs)
    first = next((t.node for t in tensors_in(outputs, depth=1) if t.node is not None), None)
    if first is None or not (inputs.closed and outputs.closed):
        return
    hooks = instance.hooks

    def run(needed_at: Place | None) -> None:
        for hook in hooks.get("full_backward_pre", ()):
            _run_hook(interp, hook, [instance, wanted], wanted, Awaited(call.node, needed_at))
        if any(gradient is not None for gradient in given.items):
            for hook in hooks.get("full_backward", ()):
                args: list[Value] = [instance, given, wanted]
                _run_hook(interp, hook, args, given, Awaited(call.node, needed_at))

    first.run = run


def _gradients(values: Items) -> Items:
    """The gradients of these values, None for those without."""
    tensors = [value if isinstance(value, Tensor) else None for value in values.items]
    return Items(
        "tuple",
        [
            None if tensor is None or tensor.requires_grad is None else Tensor(name="the gradient")
            for tensor in tensors
        ],
    )


def _run_hook(
    interp: Interpreter, hook: Value, args: list[Value], given: Items, awaited: Awaited
) -> None:
    """Run a hook, and report one that hands back another number of gradients than it was given."""
    if not isinstance(hook, Function):
        return
    with interp.engine.mode(grad=False):
        returned = call_value(interp, hook, Call(args, {}, awaited.node))
    detail = _why_not(returned, given)
    if detail:
        built = Created(hook.source.place(hook.node), hook.name)
        refuse(interp, awaited.needed_at, "backward hook", detail, built=built)


def _why_not(returned: Value, given: Items) -> str:
    """Why what a hook returned does not do for the gradients that it was given."""
    if isinstance(returned, Tensor):
        return "the hook returned one tensor, which is taken for a tuple of its rows"
    if not isinstance(returned, Items) or not returned.closed:
        return ""
    if len(returned.items) == len(given.items):
        return ""
    counts = f"got {len(returned.items)}, but expected {len(given.items)}"
    return f"the hook returned an invalid number of gradients, {counts}"


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
        "BackwardHookFunction", place, interp.engine.next_node(), value.requires_grad, targets
    )
    return view
