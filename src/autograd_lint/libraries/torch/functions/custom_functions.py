"""Custom `torch.autograd.Function`s: `apply` runs `forward` without graph and makes one node.

Mirrors torch/csrc/autograd/python_function.cpp and custom_function.cpp (`_wrap_outputs`).
"""

from __future__ import annotations

import ast

from autograd_lint.engine import backward as engine
from autograd_lint.engine.events import Created, Modified
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.inplace import check_inplace, rebase
from autograd_lint.engine.tensor import CERTAINLY, CreationMeta, Requires, Tensor, either
from autograd_lint.engine.views import edge, make_view
from autograd_lint.libraries.torch.events import FunctionBackwardRun, FunctionForwardRun
from autograd_lint.libraries.torch.functions.contexts import Context, saved_tensors
from autograd_lint.libraries.torch.functions.judging import (
    BASE,
    Needs,
    data_among,
    is_known,
    judge_gradients,
    misfit,
    only_raises,
    refuse,
)
from autograd_lint.libraries.torch.functions.tangents import run_jvp
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.transforms.forward_ad import is_dual
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.vm.calls import Call, call_function
from autograd_lint.vm.contents import elements, tensor_of, tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Items, Unknown, Value


def is_custom_function(cls: Class) -> bool:
    """Whether a class of the program derives from `torch.autograd.Function`."""
    return BASE in cls.external_bases()


def apply_function(interp: Interpreter, cls: Class, call: Call) -> Value:
    """`Fn.apply(*args)`."""
    forward = cls.find("forward")
    if not isinstance(forward, Function):
        if forward is None and is_known(cls):
            refuse(interp, cls, interp.place(call.node), "it has no forward")
        return Unknown(interp.text(call.node))
    inputs = _inputs(cls, forward, call)
    _judge_fit(interp, cls, forward, inputs, call)
    _judge_transform(interp, cls, forward, call)
    tensors = [arg for arg in inputs if isinstance(arg, Tensor)]
    requires = _requires(interp, inputs, tensors)
    context = Context(cls, open=call.open)
    ctx = context.value()
    writes = [len(tensor.storage.writes) for tensor in tensors]
    given = Call(inputs, call.keywords, call.node, call.open)
    result = _run_forward(interp, cls, forward, ctx, given)
    if requires is not None:
        returned = elements(result)
        others = [value for value in inputs if not any(value is one for one in returned)]
        told = [*context.dirty, *data_among(cls, inputs, others)]
        saved, constant = context.saved, context.constant
        interp.emit(FunctionForwardRun(cls, ctx, tensors, writes, told, saved, constant, result))
    _judge_context(interp, cls, context, result, tensors, call)
    if interp.engine.transform.duals:
        run_jvp(interp, cls, context, ctx, inputs, result, call.node)
    if requires is not None:
        _make_node(interp, cls, tensors, requires, context, ctx, inputs, call)
    return _wrapped(interp, context, result, tensors, requires, call)


def _has_setup(cls: Class) -> bool:
    """Whether `ctx` goes to a `setup_context`, so that `forward` is not given it."""
    return isinstance(cls.find("setup_context"), Function)


def _inputs(cls: Class, forward: Function, call: Call) -> list[Value]:
    """What a node has as inputs; beside a `setup_context` also what is there by default.

    Source: `Function.apply` in torch/autograd/function.py, `bind_default_args`.
    """
    given = list(call.args)
    if not _has_setup(cls) or call.open or call.more or call.keywords:
        return given
    names = len(forward.node.args.posonlyargs) + len(forward.node.args.args)
    absent = max(0, min(names - len(given), len(forward.defaults)))
    return [*given, *forward.defaults[len(forward.defaults) - absent :]]


def _judge_fit(
    interp: Interpreter, cls: Class, forward: Function, inputs: list[Value], call: Call
) -> None:
    """Report a `forward` that does not take what it is given."""
    if call.open or call.more or call.keywords:
        return
    detail = misfit(forward, len(inputs) + (not _has_setup(cls)))
    if detail:
        built = Created(forward.source.place(forward.node), cls.name)
        refuse(interp, cls, interp.place(call.node), detail, built=built)


def _judge_transform(interp: Interpreter, cls: Class, forward: Function, call: Call) -> None:
    """Report a Function inside of `torch.func` that is not made for it.

    Source: torch/_functorch/autograd_function.py.
    """
    engine, place = interp.engine, interp.place(call.node)
    dual = any(is_dual(interp, value) for value in call.args)
    if not is_known(cls) or not (engine.transform.transformed or dual):
        return
    if dual and cls.find("jvp") is None:
        built = Created(forward.source.place(forward.node), cls.name)
        refuse(interp, cls, place, "forward AD needs a `jvp` method", built=built)
    elif dual:
        return
    elif not _has_setup(cls):
        built = Created(forward.source.place(forward.node), cls.name)
        detail = "vmap, grad and their like need `setup_context` apart from `forward`"
        refuse(interp, cls, place, detail, built=built)
    elif (
        engine.transform.batched
        and cls.find("vmap") is None
        and cls.find("generate_vmap_rule") is None
    ):
        refuse(interp, cls, place, "vmap needs a `vmap` method, or `generate_vmap_rule = True`")


def _judge_context(
    interp: Interpreter,
    cls: Class,
    context: Context,
    result: Value,
    inputs: list[Tensor],
    call: Call,
) -> None:
    """Report what `forward` told `ctx` that cannot be."""
    place = interp.place(call.node)
    if context.refused is not None:
        refuse(interp, cls, place, context.refused.detail, built=context.refused.built)
    returned = elements(result)
    if any(tensor not in inputs for tensor in context.dirty):
        refuse(interp, cls, place, "mark_dirty received a tensor that was not an input")
    known = not any(isinstance(value, Unknown) for value in returned)
    if known and any(tensor not in returned for tensor in context.dirty):
        refuse(interp, cls, place, "not all that was marked as dirty was returned")
    if len(returned) > 1 and any(tensor.is_view for tensor in context.dirty):
        refuse(interp, cls, place, "a view was marked as dirty, and more than one tensor returned")
    passed = [tensor for tensor in returned if tensor in inputs and tensor in context.saved]
    if passed and _has_setup(cls):
        detail = "an input that is returned as it is must not be saved in `setup_context`"
        refuse(interp, cls, place, detail, built=context.saving)


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
    first = [] if _has_setup(cls) else [ctx]
    with interp.engine.mode(grad=False):
        given = Call([*first, *call.args], call.keywords, call.node, call.open)
        result = _call(interp, cls, forward, given)
        if isinstance(setup, Function):
            inputs = Items("tuple", list(call.args))
            _call(interp, cls, setup, Call([ctx, inputs, result], {}, call.node))
    return result


def _call(interp: Interpreter, cls: Class, function: Function, call: Call) -> Value:
    """Call a method of a custom Function: a static one, or one of its class."""
    return call_function(interp, function, call, cls if function.kind == "classmethod" else None)


def _make_node(
    interp: Interpreter,
    cls: Class,
    tensors: list[Tensor],
    requires: frozenset[object],
    context: Context,
    ctx: Instance,
    inputs: list[Value],
    call: Call,
) -> None:
    place = interp.place(call.node)
    targets = [edge(interp.engine, tensor, place) for tensor in tensors]
    node = Node(
        cls.name,
        place,
        interp.engine.next_node(),
        requires,  # type: ignore[arg-type]
        [target for target in targets if target is not None],
        # Where the program's own `backward` is known, it fails as it reads what was freed.
        frees=bool(context.saved) and not isinstance(cls.find("backward"), Function),
    )
    # Where further arguments may have been given, some of them may need a gradient.
    others = _may_need_grad() if call.open or call.more else None
    needed = Items("tuple", _needed(cls, inputs), others)
    ctx.attributes["needs_input_grad"] = needed
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


def _needed(cls: Class, inputs: list[Value]) -> list[Value]:
    """`ctx.needs_input_grad`: one input at least is in need where backward runs at all."""
    data = data_among(cls, inputs, inputs)
    needed = [_needs_grad(value) for value in inputs]
    open_ = [
        index
        for index, value in enumerate(inputs)
        if needed[index] is not False and not any(tensor_of(value) is one for one in data)
    ]
    if len(open_) == 1:
        needed[open_[0]] = True
    return needed


def _needs_grad(value: Value) -> Value:
    """What `ctx.needs_input_grad` says of an input."""
    tensor = tensor_of(value)
    if tensor is None or tensor.requires_grad is None:
        return False
    return _may_need_grad() if tensor.requires_grad else True


def _may_need_grad() -> Unknown:
    return Unknown("ctx.needs_input_grad", "bool", usual=True)


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
    context: Context,
    result: Value,
    inputs: list[Tensor],
    requires: Requires,
    call: Call,
) -> Value:
    if isinstance(result, Items) and result.kind != "tuple":
        return result  # autograd takes a tuple for several results, and a list for no tensor
    outputs = [_as_result(interp, one) for one in elements(result)]
    further = isinstance(result, Items) and not result.closed
    if not (further or isinstance(result, Unknown)):
        context.outputs = list(outputs)
    context.open = context.open or further
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
        else:
            context.kept.append(kept)
    if context.node is not None:
        tensors = [kept.tensor for kept in context.kept if isinstance(kept, SavedTensor)]
        context.node.second = either(*(tensor.requires_grad for tensor in tensors))
    return Items(result.kind, wrapped, result.rest) if isinstance(result, Items) else wrapped[0]


def _as_result(interp: Interpreter, value: Value) -> Value:
    """What `forward` returns by itself is a tensor, also where nothing else is known of it.

    Source: `PyNode::apply` marks whatever tensor `forward` returns as a result of the node.
    """
    return as_tensor(interp, value) or value


def _output(
    interp: Interpreter,
    context: Context,
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
    # What `detach` has made is no view that autograd follows.
    detached = output.base is None and not any(output is tensor for tensor in inputs)
    shared = (tensor for tensor in inputs if tensor.storage is output.storage)
    source = None if detached else next(shared, None)
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
    tensor.node, tensor.requires, tensor.graph_breaks = node, node.requires, ()
    tensor.made = Created(place, node.operator)
    return tensor


def _run_backward(
    interp: Interpreter,
    cls: Class,
    context: Context,
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
        if backward is None and cls.find("vjp") is None and is_known(cls):
            # Who writes none takes what is given for data.
            because = frozenset(why.as_data() for why in node.requires)
            refuse(interp, cls, needs.needed_at, "it has no backward", because)
        return
    ctx.attributes["saved_tensors"] = saved_tensors(
        context, node, by_harness=needs.needed_at is None
    )
    for saved in context.unchecked:
        engine.check_version(interp.engine, node, saved, engine.Call([], needs.needed_at))
    _judge_takers(interp, cls, backward, context, needs)
    gradients = [_gradient_of(output) for output in context.outputs or [None]]
    context.reads = 0
    with interp.engine.mode(grad=False):
        result = _call(interp, cls, backward, Call([ctx, *gradients], {}, needs.applied_at))
    returned = tensors_in(result, depth=1)
    context.given_back = {id(tensor.storage) for tensor in returned}
    outputs = context.outputs or []
    interp.emit(FunctionBackwardRun(cls, backward, node, gradients, result, inputs, outputs))
    if not context.open:
        judge_gradients(interp, cls, result, inputs, needs)


def _gradient_of(output: Value) -> Tensor:
    """The gradient that `backward` gets for an output of `forward`."""
    shape = output.shape if isinstance(output, Tensor) else None
    return Tensor(name="the gradient", shape=shape, contiguous=None)


def _judge_takers(
    interp: Interpreter, cls: Class, backward: Function, context: Context, needs: Needs
) -> None:
    """Report a `backward` that does not take one gradient for each output, or that has a twin."""
    node = context.node
    because = node.requires if node is not None else CERTAINLY
    twin = cls.find("vjp")
    if isinstance(twin, Function):
        built = Created(twin.source.place(twin.node), cls.name)
        detail = "both `backward` and `vjp` are there, where only one is allowed"
        refuse(interp, cls, needs.needed_at, detail, because, built)
    outputs = context.outputs
    if only_raises(backward):
        return
    detail = misfit(backward, 1 + len(outputs)) if outputs is not None else ""
    if detail:
        built = Created(backward.source.place(backward.node), cls.name)
        refuse(interp, cls, needs.needed_at, detail, because, built)
