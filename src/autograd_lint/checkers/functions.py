"""Custom Functions and hooks: what they keep, write and cut."""

from __future__ import annotations

import ast

from autograd_lint.checkers import binding
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.arrays import behind
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    Bound,
    Class,
    Function,
    Instance,
    Items,
    Unknown,
    Value,
    tensors_in,
)

MAY_HAVE_HOOKS = frozenset({Assumption(Kind.HAS_HOOKS, weight=2)})
SHARING = {"add", "add_"}  # hand one gradient on to all their arguments
CONTEXT = "torch.autograd.function.FunctionCtx"


def versions(tensors: list[Tensor]) -> list[int]:
    """How many writes each tensor has seen."""
    return [len(tensor.storage.writes) for tensor in tensors]


def ran_forward(
    interp: Interpreter,
    cls: Class,
    ctx: Instance,
    inputs: list[Tensor],
    before: list[int],
    dirty: list[Tensor],
    saved: list[Value],
    constant: list[Tensor],
    result: Value,
) -> None:
    """`forward` of a custom Function has run: what did it write, what did it keep on `ctx`?"""
    outputs = list(tensors_in(result, depth=1))
    for tensor, count in zip(inputs, before, strict=False):
        writes = tensor.storage.writes[count:]
        shared = any(output is tensor for output in outputs) or tensor.requires_grad is not None
        if writes and shared and not any(tensor is marked for marked in dirty):
            event = writes[0].event
            place = event.place
            note(
                interp,
                Pitfall.NOT_MARKED_DIRTY,
                place,
                tensor=tensor.name,
                operator=cls.name,
                assumptions=tensor.requires_grad or CERTAINLY,
            )
    # A result that is marked as constant gets no graph: then nothing leads back to `ctx`.
    returned = [value for value in _parts(result) if not _is_among(value, constant)]
    wanting = [tensor for tensor in inputs if not any(tensor is marked for marked in dirty)]
    backward = cls.find("backward")
    emptied = backward.about(_taken_off) if isinstance(backward, Function) else frozenset()
    for attribute, value in ctx.attributes.items():
        # What backward takes off `ctx` is no cycle any more, though nobody checks its version.
        results = [] if attribute in emptied else returned
        for part in _parts(value):
            _judge_kept(interp, ctx, attribute, part, wanting, results, saved)


@query
def _taken_off(_: Source, backward: ast.AST) -> frozenset[str]:
    """The attributes of `ctx` that `backward` sets anew, deletes, or empties as containers."""
    arguments = backward.args.args if isinstance(backward, ast.FunctionDef) else []
    dotted = [
        part
        for part in ast.walk(backward)
        if isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name)
        and part.value.id in [argument.arg for argument in arguments[:1]]
    ]
    emptying = {
        id(call.func.value)
        for call in ast.walk(backward)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr in ("pop", "popleft", "clear")
    }
    return frozenset(
        part.attr for part in dotted if not isinstance(part.ctx, ast.Load) or id(part) in emptying
    )


def _is_among(value: Value, tensors: list[Tensor]) -> bool:
    tensor = value.tensor if isinstance(value, Unknown) else value
    return any(tensor is one for one in tensors)


def _parts(value: Value) -> list[Value]:
    """What is kept under one name, by itself or in a container."""
    return list(value.items) if isinstance(value, Items) else [value]


def _judge_kept(
    interp: Interpreter,
    ctx: Instance,
    attribute: str,
    value: Value,
    inputs: list[Tensor],
    returned: list[Value],
    saved: list[Value],
) -> None:
    """Report an input or a result that is kept on `ctx`.

    The only result is a tensor with a graph, though nothing else is known of it.
    """
    result = isinstance(value, Tensor) and value.dtype not in ("int", "bool")
    result |= isinstance(value, Unknown) and len(returned) == 1
    result &= any(value is one for one in returned)
    given = isinstance(value, Tensor) and any(value is one for one in inputs)
    if given and not result:
        given = value.requires_grad is not None and not any(value is one for one in saved)
    if not (result or given):
        return
    note(
        interp,
        Pitfall.KEPT_ON_CONTEXT,
        binding.bound_at(interp, ctx, attribute),
        tensor=value.name if isinstance(value, Tensor) else value.origin,
        operator=attribute,
        assumptions=(None if result else value.requires_grad) or CERTAINLY,
    )


def kept(interp: Interpreter, owner: Value, name: str, node: ast.AST) -> None:
    """Remember where an attribute of a `ctx` was set."""
    if isinstance(owner, Instance) and getattr(owner.cls, "path", "") == CONTEXT:
        binding.binds(interp, owner, name, node)


def ran_backward(interp: Interpreter, cls: Class, result: Value) -> None:
    """`backward` of a custom Function has run: does its result have a graph where one is asked?"""
    passes = interp.engine.passes
    if not passes or not passes[-1].call.create_graph:
        return
    for severed in behind([result]):
        if severed.switch is None:
            operator = severed.event.operator
            note(
                interp,
                Pitfall.CUT_IN_BACKWARD,
                severed.event.place,
                tensor=cls.name,
                operator=operator,
            )


def wrote_gradient(interp: Interpreter, cls: Class, node: Node, gradients: list[Tensor]) -> None:
    """`backward` of a custom Function has run: did it write a gradient that others get as well?"""
    written = [write for gradient in gradients for write in gradient.storage.writes[:1]]
    if not written or not interp.engine.passes:
        return
    event, order = written[0].event, interp.engine.passes[-1].order
    if any(node in other.edges and other.operator in SHARING for other in order):
        note(
            interp,
            Pitfall.HOOK_MODIFIES,
            event.place,
            tensor=cls.name,
            operator=event.operator,
            assumptions=node.requires,
        )


def withheld(
    interp: Interpreter,
    cls: Class,
    backward: Function,
    node: Node,
    result: Value,
    inputs: list[Value],
) -> None:
    """`backward` returns None for inputs that require grad: is that the only way to a leaf?"""
    returned = result.items if isinstance(result, Items) and result.kind == "tuple" else [result]
    returns = [part for part in ast.walk(backward.node) if isinstance(part, ast.Return)]
    if len(returned) != len(inputs) or len(returns) != 1:
        return
    event = Created(backward.source.place(returns[0]), f"{cls.name}.backward")
    for gradient, value in zip(returned, inputs, strict=True):
        target = value.node or value.accumulator if isinstance(value, Tensor) else None
        if gradient is None and target is not None and not target.opaque:
            interp.watch.withheld.append((node, target, event))


def forward_called(interp: Interpreter, receiver: Value, node: ast.AST) -> None:
    """`module.forward(x)` instead of `module(x)`: hooks and wrappers are passed over."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    inside = interp.frame.receiver is not None  # an object that calls what it is made of
    if node.func.attr != "forward" or not isinstance(receiver, Instance) or inside:
        return
    assumptions = frozenset() if receiver.hooks else MAY_HAVE_HOOKS
    name = interp.text(node.func.value)
    place = interp.place(node)
    note(interp, Pitfall.FORWARD_CALLED, place, tensor=name, assumptions=assumptions)


def hooked(interp: Interpreter, tensor: Tensor, hook: Value, node: ast.AST) -> Value:
    """A hook on a tensor: it must not write the gradient that it is handed. What it returns."""
    if isinstance(hook, Bound) or tensor.requires_grad is None:
        return None
    gradient = Tensor(name="the gradient", dtype=tensor.dtype, shape=tensor.shape)
    with interp.engine.mode(grad=False):
        returned = call_value(interp, hook, Call([gradient], {}, node))
    for write in gradient.storage.writes[:1]:
        note(
            interp,
            Pitfall.HOOK_MODIFIES,
            write.event.place,
            tensor=tensor.name,
            operator=write.event.operator,
        )
    return returned
