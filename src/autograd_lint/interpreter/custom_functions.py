"""Custom `torch.autograd.Function`s: `apply` runs `forward` without graph and makes one node.

Mirrors torch/csrc/autograd/python_function.cpp and custom_function.cpp (`_wrap_outputs`).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine import backward as engine
from autograd_lint.engine.events import Created, Modified
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.inplace import check_inplace, rebase
from autograd_lint.engine.tensor import CERTAINLY, CreationMeta, Requires, Tensor, either
from autograd_lint.engine.views import edge, make_view
from autograd_lint.interpreter.apply import as_tensor
from autograd_lint.interpreter.calls import Call, call_function
from autograd_lint.interpreter.code import code_of
from autograd_lint.interpreter.function_judging import Needs, judge_gradients, refuse, unsavable
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
from autograd_lint.interpreter.watching import functions
from autograd_lint.places import Place

BASE = "torch.autograd.Function"


def is_custom_function(cls: Class) -> bool:
    """Whether a class of the program derives from `torch.autograd.Function`."""
    return BASE in cls.external_bases()


@dataclass
class _Context:
    """What `forward` tells through `ctx`; `open` where not all inputs or outputs are known."""

    saved: list[Tensor] = field(default_factory=list)
    dirty: list[Tensor] = field(default_factory=list)
    constant: list[Tensor] = field(default_factory=list)
    node: Node | None = None
    outputs: int = 1
    open: bool = False
    refused: str = ""
    kept: list[SavedTensor] = field(default_factory=list)
    unchecked: list[SavedTensor] = field(default_factory=list)

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
        self.refused = self.refused or unsavable(call.args)
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


def _is_known(cls: Class) -> bool:
    """Whether every base of the class is one of the program, or `Function` itself."""
    bases = [base for own in cls.mro() for base in own.bases]
    return all(isinstance(base, Class) or base == External(BASE) for base in bases)


def apply_function(interp: Interpreter, cls: Class, call: Call) -> Value:
    """`Fn.apply(*args)`."""
    forward = cls.find("forward")
    if not isinstance(forward, Function):
        if forward is None and _is_known(cls):
            refuse(interp, cls, interp.place(call.node), "it has no forward")
        return Unknown(interp.text(call.node))
    inputs = list(call.args)
    tensors = [arg for arg in inputs if isinstance(arg, Tensor)]
    requires = _requires(interp, inputs, tensors)
    context = _Context(open=call.open)
    ctx = context.value()
    before = functions.versions(tensors)
    result = _run_forward(
        interp, cls, forward, ctx, Call(inputs, call.keywords, call.node, call.open)
    )
    if requires is not None:
        functions.ran_forward(interp, cls.name, ctx, tensors, before, context.dirty, result)
    _judge_context(interp, cls, context, result, tensors, call)
    if requires is not None:
        _make_node(interp, cls, tensors, requires, context, ctx, inputs, call)
    return _wrapped(interp, context, result, tensors, requires, call)


def _judge_context(
    interp: Interpreter,
    cls: Class,
    context: _Context,
    result: Value,
    inputs: list[Tensor],
    call: Call,
) -> None:
    """Report what `forward` told `ctx` that cannot be."""
    detail = context.refused
    returned = result.items if isinstance(result, Items) else [result]
    if any(tensor not in inputs for tensor in context.dirty):
        detail = detail or "mark_dirty received a tensor that was not an input"
    known = not any(isinstance(value, Unknown) for value in returned)
    if known and any(tensor not in returned for tensor in context.dirty):
        detail = detail or "not all that was marked as dirty was returned"
    if detail:
        refuse(interp, cls, interp.place(call.node), detail)


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
            interp, forward, Call([*first, *call.args], call.keywords, call.node, call.open)
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
    inputs: list[Value],
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
    node.once = _once(cls)
    context.node = node
    context.unchecked = [
        SavedTensor.of(value, "input", node.requires, unchecked=True)
        for value in ctx.attributes.values()
        if isinstance(value, Tensor)
    ]

    def needs(needed_at: Place | None) -> Needs:
        return Needs(call.node, needed_at, complete=not (call.open or call.more))

    def run(needed_at: Place | None) -> None:
        _run_backward(interp, cls, context, ctx, inputs, needs(needed_at))

    node.run = run


def _once(cls: Class) -> Place | None:
    """Where the program's `backward` is marked with `@once_differentiable`."""
    backward = cls.find("backward")
    if not isinstance(backward, Function) or isinstance(backward.node, ast.Lambda):
        return None
    marks = backward.node.decorator_list
    found = (mark for mark in marks if code_of(mark).endswith("once_differentiable"))
    mark = next(found, None)
    return backward.source.place(mark) if mark is not None else None


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
    context.open = context.open or (isinstance(result, Items) and not result.closed)
    wrapped = [
        _output(interp, context, output, inputs, call) if isinstance(output, Tensor) else output
        for output in outputs
    ]
    replaced = {id(old): new for old, new in zip(outputs, wrapped, strict=True)}
    for tensor in context.saved:
        kept = replaced.get(id(tensor), tensor)
        if isinstance(kept, Tensor):
            slot = "result" if id(tensor) in replaced and tensor not in inputs else "input"
            context.kept.append(SavedTensor.of(kept, slot, requires or CERTAINLY))
    if context.node is not None:
        context.node.second = either(*(saved.tensor.requires_grad for saved in context.kept))
    return Items(result.kind, wrapped, result.rest) if isinstance(result, Items) else wrapped[0]


def _output(
    interp: Interpreter,
    context: _Context,
    output: Tensor,
    inputs: list[Tensor],
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
    tensor.base = tensor.base if source is not None else None
    constant = output in context.constant or tensor.dtype in ("int", "bool")
    if node is None or constant:
        tensor.requires, tensor.node = None, None
        return tensor
    tensor.node, tensor.requires = node, node.requires
    tensor.made = Created(place, node.operator)
    return tensor


def _run_backward(
    interp: Interpreter,
    cls: Class,
    context: _Context,
    ctx: Instance,
    inputs: list[Value],
    needs: Needs,
) -> None:
    """Run the program's own `backward` as the engine does, and judge what it returns."""
    backward = cls.find("backward")
    node = context.node
    if node is None:
        return
    if not isinstance(backward, Function):
        if backward is None and cls.find("vjp") is None and _is_known(cls):
            refuse(interp, cls, needs.needed_at, "it has no backward", node.requires)
        return
    ctx.attributes["saved_tensors"] = _saved_tensors(context, node)
    for saved in context.unchecked:
        engine.check_version(interp.engine, node, saved, engine.Call([], needs.needed_at))
    gradients = [Tensor(name="the gradient") for _ in range(context.outputs)]
    with interp.engine.mode(grad=False):
        result = call_function(interp, backward, Call([ctx, *gradients], {}, needs.applied_at))
    functions.wrote_gradient(interp, cls, node, gradients)
    if node.once is None:
        functions.ran_backward(interp, cls, result)
    functions.withheld(interp, cls, backward, node, result, inputs)
    if not context.open:
        judge_gradients(interp, cls, result, inputs, needs)


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
