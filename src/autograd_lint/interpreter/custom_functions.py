"""Custom `torch.autograd.Function`s: `apply` runs `forward` without graph and makes one node.

Mirrors torch/csrc/autograd/python_function.cpp and custom_function.cpp (`_wrap_outputs`).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine import backward as engine
from autograd_lint.engine.events import Created, Modified
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.inplace import check_inplace, rebase
from autograd_lint.engine.tensor import CERTAINLY, CreationMeta, Requires, Tensor, either
from autograd_lint.engine.views import edge, make_view
from autograd_lint.interpreter.apply import as_tensor
from autograd_lint.interpreter.calls import Call, call_function
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.values import (
    Class,
    External,
    Function,
    Instance,
    Items,
    Native,
    Property,
    Unknown,
    Value,
)
from autograd_lint.places import Place

BASE = "torch.autograd.Function"


def is_custom_function(cls: Class) -> bool:
    """Whether a class of the program derives from `torch.autograd.Function`."""
    return BASE in cls.external_bases()


@dataclass
class _Context:
    """What `forward` tells through `ctx`."""

    saved: list[Tensor] = field(default_factory=list)
    dirty: list[Tensor] = field(default_factory=list)
    constant: list[Tensor] = field(default_factory=list)
    node: Node | None = None
    outputs: int = 1
    kept: list[SavedTensor] = field(default_factory=list)

    def value(self) -> Instance:
        """The object that the program sees as `ctx`."""
        return Instance(
            External("torch.autograd.function.FunctionCtx"),
            {
                "save_for_backward": Native("save_for_backward", self._save),
                "mark_dirty": Native("mark_dirty", self._mark_dirty),
                "mark_non_differentiable": Native("mark_non_differentiable", self._mark_constant),
                "set_materialize_grads": Native("set_materialize_grads", _nothing),
            },
        )

    def _save(self, interp: Interpreter, call: Call) -> Value:
        self.saved = [tensor for arg in call.args if (tensor := as_tensor(interp, arg))]
        return None

    def _mark_dirty(self, interp: Interpreter, call: Call) -> Value:
        self.dirty = [arg for arg in call.args if isinstance(arg, Tensor)]
        return None

    def _mark_constant(self, interp: Interpreter, call: Call) -> Value:
        self.constant = [arg for arg in call.args if isinstance(arg, Tensor)]
        return None


def _nothing(interp: Interpreter, call: Call) -> Value:
    return None


def apply_function(interp: Interpreter, cls: Class, call: Call) -> Value:
    """`Fn.apply(*args)`."""
    forward = cls.find("forward")
    if not isinstance(forward, Function):
        return Unknown(interp.text(call.node))
    inputs = [arg.tensor if isinstance(arg, Unknown) and arg.tensor else arg for arg in call.args]
    tensors = [arg for arg in inputs if isinstance(arg, Tensor)]
    requires = _requires(interp, inputs, tensors)
    context = _Context()
    ctx = context.value()
    result = _run_forward(interp, cls, forward, ctx, Call(inputs, call.keywords, call.node))
    if requires is not None:
        _make_node(interp, cls, tensors, requires, context, ctx, len(inputs), call)
    return _wrapped(interp, context, result, tensors, requires, call)


def _requires(interp: Interpreter, inputs: list[Value], tensors: list[Tensor]) -> Requires:
    if not interp.engine.recording:
        return None
    for arg in inputs:
        if isinstance(arg, Unknown) and (tensor := as_tensor(interp, arg)) is not None:
            tensors.append(tensor)
    return either(*(tensor.requires_grad for tensor in tensors))


def _run_forward(
    interp: Interpreter, cls: Class, forward: Function, ctx: Instance, call: Call
) -> Value:
    setup = cls.find("setup_context")
    first = [] if isinstance(setup, Function) else [ctx]
    with interp.engine.mode(grad=False):
        result = call_function(
            interp, forward, Call([*first, *call.args], call.keywords, call.node)
        )
        if isinstance(setup, Function):
            inputs = Items("tuple", list(call.args))
            call_function(interp, setup, Call([ctx, inputs, result], {}, call.node))
    return result


def _make_node(
    interp: Interpreter,
    cls: Class,
    tensors: list[Tensor],
    requires: frozenset[object],
    context: _Context,
    ctx: Instance,
    count: int,
    call: Call,
) -> None:
    place = interp.place(call.node)
    targets = [edge(interp.engine, tensor, place) for tensor in tensors]
    node = Node(
        cls.name,
        place,
        interp.engine.tick(),
        requires,  # type: ignore[arg-type]
        [target for target in targets if target is not None],
        # Where the program's own `backward` is known, it fails as it reads what was freed.
        frees=bool(context.saved) and not isinstance(cls.find("backward"), Function),
    )
    context.node = node

    def run(needed_at: Place | None) -> None:
        _run_backward(interp, cls, context, ctx, count, Needs(call.node, needed_at))

    node.run = run


def _wrapped(
    interp: Interpreter,
    context: _Context,
    result: Value,
    inputs: list[Tensor],
    requires: Requires,
    call: Call,
) -> Value:
    outputs = result.items if isinstance(result, Items) else [result]
    context.outputs = len(outputs)
    several = sum(isinstance(output, Tensor) for output in outputs) > 1
    wrapped = [
        _output(interp, context, output, inputs, several, call)
        if isinstance(output, Tensor)
        else output
        for output in outputs
    ]
    replaced = {id(old): new for old, new in zip(outputs, wrapped, strict=True)}
    for tensor in context.saved:
        kept = replaced.get(id(tensor), tensor)
        if isinstance(kept, Tensor):
            slot = "result" if id(tensor) in replaced and tensor not in inputs else "input"
            context.kept.append(SavedTensor.of(kept, slot, requires or CERTAINLY))
    return Items(result.kind, wrapped) if isinstance(result, Items) else wrapped[0]


def _output(
    interp: Interpreter,
    context: _Context,
    output: Tensor,
    inputs: list[Tensor],
    several: bool,
    call: Call,
) -> Tensor:
    node = context.node
    place = interp.place(call.node)
    if output in context.dirty:
        if node is not None:
            event = Modified(place, node.operator, output.name, output.storage.version)
            check_inplace(interp.engine, output, node.requires, event, place)
            rebase(interp.engine, output, node, place)
        return output
    source = next((tensor for tensor in inputs if tensor.storage is output.storage), None)
    tensor = output
    if source is not None:
        tensor = make_view(interp.engine, source)
        tensor.shape = output.shape
        tensor.creation = CreationMeta.CUSTOM_FUNCTION
        tensor.multi_output = several
    tensor.base = tensor.base if source is not None else None
    constant = output in context.constant or tensor.dtype in ("int", "bool")
    if node is None or constant:
        tensor.requires, tensor.node = None, None
        return tensor
    tensor.node, tensor.requires = node, node.requires
    tensor.made = Created(place, node.operator)
    return tensor


def _run_backward(
    interp: Interpreter, cls: Class, context: _Context, ctx: Instance, count: int, needs: Needs
) -> None:
    """Run the program's own `backward` as the engine does, and judge what it returns."""
    backward = cls.find("backward")
    node = context.node
    if not isinstance(backward, Function) or node is None:
        return
    ctx.attributes["saved_tensors"] = _saved_tensors(context, node)
    gradients: list[Value] = [Tensor(name="the gradient") for _ in range(context.outputs)]
    with interp.engine.mode(grad=False):
        result = call_function(interp, backward, Call([ctx, *gradients], {}, needs.applied_at))
    _judge(interp, cls, result, count, needs)


@dataclass(frozen=True, slots=True)
class Needs:
    """Where a custom Function was applied, and where backward needs it."""

    applied_at: ast.AST
    needed_at: Place | None


def _saved_tensors(context: _Context, node: Node) -> Property:
    """`ctx.saved_tensors`: reading it checks the versions as the engine checks them."""

    def read(interp: Interpreter, where: ast.AST) -> Value:
        reader = engine.Call([], interp.place(where), "saved_tensors")
        if context.kept:
            engine.check_freed(interp.engine, node, reader)
        for saved in context.kept:
            engine.check_version(interp.engine, node, saved, reader)
        return Items("tuple", [saved.tensor for saved in context.kept])

    return Property(read)


def _judge(interp: Interpreter, cls: Class, result: Value, count: int, needs: Needs) -> None:
    if isinstance(result, Unknown) or (isinstance(result, Items) and not result.closed):
        return
    returned = (
        list(result.items) if isinstance(result, Items) and result.kind == "tuple" else [result]
    )
    while len(returned) > count and returned[-1] is None:
        returned.pop()
    if len(returned) != count:
        detail = f"expected {count}, got {len(returned)}"
        interp.engine.report(
            Fault(
                FaultKind.CUSTOM_FUNCTION,
                needs.needed_at,
                operator=cls.name,
                built=Created(_returning(interp, cls, needs), cls.name),
                detail=f"returned an incorrect number of gradients ({detail})",
            )
        )


def _returning(interp: Interpreter, cls: Class, needs: Needs) -> Place:
    """Where `backward` returns its gradients: its only `return`, else the function itself."""
    method = cls.find("backward")
    if not isinstance(method, Function):
        return interp.place(needs.applied_at)
    found = [node for node in ast.walk(method.node) if isinstance(node, ast.Return)]
    return method.source.place(found[0] if len(found) == 1 else method.node)
