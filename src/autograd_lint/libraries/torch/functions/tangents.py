"""Forward AD through a custom Function: its `jvp`, and what autograd asks of the tangents.

Mirrors `_process_forward_mode_AD` of torch/csrc/autograd/custom_function.cpp.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograd_lint.engine.events import Created
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.functions.contexts import Context
from autograd_lint.libraries.torch.functions.judging import refuse, returning
from autograd_lint.libraries.torch.transforms.forward_ad import make_dual, tangent_of
from autograd_lint.vm.calls import Call, call_function
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Items, Unknown, Value


def run_jvp(
    interp: Interpreter,
    cls: Class,
    context: Context,
    ctx: Instance,
    inputs: Sequence[Value],
    result: Value,
    at: ast.AST,
) -> None:
    """Run `jvp` where an input is dual, judge its tangents, and make the results dual."""
    tangents = [tangent_of(interp, value) for value in inputs]
    jvp = cls.find("jvp")
    if not any(tangents) or not isinstance(jvp, Function):
        return
    with interp.engine.mode(grad=False):
        returned = call_function(interp, jvp, Call([ctx, *tangents], {}, at))
    outputs, given = _listed(result), _listed(returned)
    if outputs is None or given is None:
        return
    detail = _why_not(context, list(inputs), outputs, tangents, given)
    if detail:
        built = Created(returning(jvp), cls.name)
        refuse(interp, cls, interp.place(at), detail, built=built)
    for output, tangent in zip(outputs, given, strict=False):
        if isinstance(output, Tensor) and isinstance(tangent, Tensor):
            make_dual(interp, output, tangent)


def _listed(value: Value) -> list[Value] | None:
    """The results of a method one by one; None where they are not known."""
    if isinstance(value, Unknown) or (isinstance(value, Items) and not value.closed):
        return None
    return list(value.items) if isinstance(value, Items) else [value]


def _why_not(
    context: Context,
    inputs: list[Value],
    outputs: list[Value],
    tangents: list[Tensor | None],
    given: list[Value],
) -> str:
    """Why autograd does not take the tangents that `jvp` returned; empty where it does."""
    if len(given) != len(outputs):
        counts = f"expected {len(outputs)} but got {len(given)}"
        return f"jvp returned an invalid number of forward gradients ({counts})"
    for position, (output, tangent) in enumerate(zip(outputs, given, strict=True)):
        if not isinstance(tangent, Tensor):
            continue
        if not _is_differentiable(context, output):
            return f"jvp returned a gradient at position {position}, but that output has none"
        source = _source(inputs, output)
        if source is None:
            continue
        before = tangents[source]
        if output in context.dirty and tangent is not before:
            return "an in-place custom Function has to modify the forward gradient in place"
        if output not in context.dirty and _is_apart(tangent, before):
            return "forward returns a view (or an input as it is), but jvp does not"
    return ""


def _is_differentiable(context: Context, output: Value) -> bool:
    if not isinstance(output, Tensor):
        return isinstance(output, Unknown)
    return output not in context.constant and output.dtype not in ("int", "bool")


def _source(inputs: list[Value], output: Value) -> int | None:
    """The input of which an output is a view, or which it is."""
    if not isinstance(output, Tensor):
        return None
    for position, value in enumerate(inputs):
        if isinstance(value, Tensor) and value.storage is output.storage:
            return position
    return None


def _is_apart(tangent: Tensor, before: Tensor | None) -> bool:
    """Whether a tangent shares no memory with the one it should be a view of."""
    if before is None or tangent.storage is before.storage:
        return False
    return tangent.storage not in before.storage.twins
