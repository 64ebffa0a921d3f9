"""Custom Functions and hooks: what they keep, write and cut."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from autograd_lint.checkers.bindings import Bindings
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.flat import CONSTANT
from autograd_lint.checkers.noting import note
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import INPUT, Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import FunctionBackwardRun, FunctionForwardRun, HookRun
from autograd_lint.project.code import last_name
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.arrays import behind
from autograd_lint.vm.contents import tensor_of, tensors_in
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Items, Unknown, Value

SHARING = {"add", "add_"}  # hand one gradient on to all their arguments
# Methods that give a tensor another shape, and write nothing to its memory.
_OTHER_SHAPE = {"unsqueeze_", "squeeze_", "t_", "transpose_", "swapaxes_", "swapdims_"}


class CustomFunctions(Checker):
    """Looks at `forward` and `backward` of custom Functions, and at hooks, when they have run."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionForwardRun, cls.ran_forward)
        to.add(cls, FunctionBackwardRun, cls.ran_backward)
        to.add(cls, HookRun, cls.hook_run)

    def ran_backward(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` of a custom Function has run."""
        _judge_written_gradients(interp, event)
        if event.node.once is None:
            _judge_constant_result(interp, event)

    def hook_run(self, interp: Interpreter, event: HookRun) -> None:
        """A hook on a tensor must not write the gradient that it is handed."""
        for write in event.gradient.storage.writes[:1]:
            note(
                interp,
                Pitfall.HOOK_MODIFIES,
                write.event.place,
                tensor=event.tensor.name,
                operator=write.event.operator,
            )

    def ran_forward(self, interp: Interpreter, event: FunctionForwardRun) -> None:
        """`forward` of a custom Function has run: what did it write, what did it keep on `ctx`?"""
        _judge_unmarked_writes(interp, event)
        _judge_context(interp, event)


def _judge_unmarked_writes(interp: Interpreter, event: FunctionForwardRun) -> None:
    """Report inputs that `forward` has written, and not told autograd of."""
    outputs = list(tensors_in(event.result, depth=1))
    for tensor, count in zip(event.inputs, event.writes, strict=False):
        writes = tensor.storage.writes[count:]
        shared = _is_one_of(tensor, outputs) or tensor.requires_grad is not None
        if writes and shared and not _is_one_of(tensor, event.dirty):
            note(
                interp,
                Pitfall.NOT_MARKED_DIRTY,
                writes[0].event.place,
                tensor=tensor.name,
                operator=event.cls.name,
                assumptions=tensor.requires_grad or CERTAINLY,
            )


def _judge_context(interp: Interpreter, event: FunctionForwardRun) -> None:
    """Report inputs and results that `forward` has kept on `ctx`."""
    inputs = event.inputs
    # A result that is marked as constant gets no graph: then nothing leads back to `ctx`.
    returned = [value for value in _parts(event.result) if not _is_among(value, event.constant)]
    wanting = [tensor for tensor in inputs if not _is_one_of(tensor, event.dirty)]
    backward = event.cls.find("backward")
    emptied = backward.query(_taken_off) if isinstance(backward, Function) else frozenset()
    asked = backward.query(_asked_for) if isinstance(backward, Function) else frozenset()
    for attribute, value in event.context.attributes.items():
        # What backward takes off `ctx` is no cycle any more, though nobody checks its version.
        results = [] if attribute in emptied else returned
        given = [] if attribute in asked else wanting
        # Of what is kept together, a result is told before an input: that keeps memory.
        for part in sorted(_parts(value), key=lambda one: _is_among(one, inputs)):
            _judge_kept(interp, event.context, attribute, part, given, results, event.saved)


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


@query
def _asked_for(_: Source, backward: ast.AST) -> frozenset[str]:
    """The attributes that `backward` hands to `autograd.grad`, itself or by a name: it wants the
    very tensors whose gradients it asks for, as a checkpoint does."""
    parts = list(ast.walk(backward))
    calls = [one for one in parts if isinstance(one, ast.Call) and last_name(one.func) == "grad"]
    inside = [part for call in calls for part in ast.walk(call)]
    names = {part.id for part in inside if isinstance(part, ast.Name)}
    values = [one.value for one in parts if isinstance(one, ast.Assign) and _binds(one, names)]
    bound = [value for value in values if isinstance(value, (ast.Attribute, ast.Tuple, ast.List))]
    read = [*inside, *(part for value in bound for part in ast.walk(value))]
    return frozenset(part.attr for part in read if isinstance(part, ast.Attribute))


def _binds(statement: ast.Assign, names: set[str]) -> bool:
    targets = (part for target in statement.targets for part in ast.walk(target))
    return any(isinstance(part, ast.Name) and part.id in names for part in targets)


def _is_among(value: Value, tensors: list[Tensor]) -> bool:
    """Whether a value is one of some tensors, or stands for one."""
    tensor = tensor_of(value)
    return tensor is not None and _is_one_of(tensor, tensors)


def _is_one_of(value: Value, others: Iterable[Value]) -> bool:
    return any(value is one for one in others)


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
    result &= _is_one_of(value, returned)
    given = _is_one_of(value, inputs)
    if given and not result and isinstance(value, Tensor):
        given = value.requires_grad is not None and not _is_one_of(value, saved)
    if not isinstance(value, (Tensor, Unknown)) or not (result or given):
        return
    because = value.requires_grad if isinstance(value, Tensor) and not result else None
    note(
        interp,
        Pitfall.KEPT_ON_CONTEXT,
        interp.state(Bindings).place_of(ctx, attribute),
        tensor=value.name if isinstance(value, Tensor) else value.origin,
        operator=attribute,
        detail="" if result else INPUT,
        assumptions=because or CERTAINLY,
    )


def _judge_constant_result(interp: Interpreter, event: FunctionBackwardRun) -> None:
    """`backward` of a custom Function has run: does its result have a graph where one is asked?"""
    passes = interp.engine.backward.passes
    if not passes or not passes[-1].call.create_graph:
        return
    lost = (one for one in behind([event.result]) if not one.chooses)  # a jump has no slope
    for graph_break in lost:
        if graph_break.switch is None or _is_intermediate(interp, event.cls, graph_break):
            operator = graph_break.event.operator
            note(
                interp,
                Pitfall.CUT_IN_BACKWARD,
                graph_break.event.place,
                tensor=event.cls.name,
                operator=operator,
            )


def _is_intermediate(interp: Interpreter, cls: Class, graph_break: GraphBreak) -> bool:
    """Whether `forward` has computed a value, of which `backward` makes the gradient.

    Source: https://docs.pytorch.org/tutorials/intermediate/custom_function_double_backward_tutorial
    (what is neither an input nor an output has no graph).
    """
    forward, event = cls.find("forward"), graph_break.event
    if not isinstance(forward, Function) or event.place is None or event.operator in CONSTANT:
        return False
    known = interp.world.table.find(f"torch.Tensor.{event.operator}")
    differentiable = known is not None and any(form.continues for form in known.forms)
    node, place = forward.definition, event.place
    within = node.lineno <= place.row <= (node.end_lineno or 0)
    return differentiable and within and place.filename == forward.source.filename


def _judge_written_gradients(interp: Interpreter, event: FunctionBackwardRun) -> None:
    """`backward` of a custom Function has run: did it write a gradient that others get as well?"""
    written = [
        write
        for gradient in event.gradients
        for write in gradient.storage.writes
        if write.event.operator not in _OTHER_SHAPE
    ]
    if not written or not interp.engine.backward.passes:
        return
    write, order = written[0].event, interp.engine.backward.passes[-1].order
    node = event.node
    if any(node in other.edges and other.operator in SHARING for other in order):
        note(
            interp,
            Pitfall.HOOK_MODIFIES,
            write.place,
            tensor=event.cls.name,
            operator=write.operator,
            assumptions=node.requires,
        )
