"""`torch.utils.checkpoint.checkpoint`: what runs inside is run again in backward.

Mirrors torch/utils/checkpoint.py. The reentrant kind runs its function without graph and makes one
node; the other kind makes the graph but keeps nothing in it, except that it checks its arguments.
"""

from __future__ import annotations

from autograd_lint.engine import backward as engine
from autograd_lint.engine.assumptions import Prior
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.tensor import Tensor, either
from autograd_lint.engine.views import edge
from autograd_lint.libraries.torch.events import CheckpointRun, FunctionCheckpointed, RedrawnRun
from autograd_lint.libraries.torch.modules.recomputing import (
    compare_on_backward,
    may_differ,
    nodes_since,
)
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import elements, tensor_of, tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value

OPTIONS = {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug"}


def checkpoint(interp: Interpreter, call: Call) -> Value:
    """`checkpoint(function, *args, use_reentrant=...)`."""
    keywords = {k: v for k, v in call.keywords.items() if k not in OPTIONS}
    inner = Call(call.args[1:], keywords, call.node)
    function = call.get(0, "function")
    if not call.open and "use_reentrant" not in call.keywords:
        detail = "the use_reentrant parameter should be passed explicitly"
        refuse(interp, call.node, "checkpoint", detail, warned=True)
    if call.keywords.get("use_reentrant") is True:
        return _reentrant(interp, function, inner, redrawn=_draws_anew(call))
    before = interp.engine.tick()
    kept = [SavedTensor.of(t, "input") for t in tensors_in(Items("tuple", list(inner.args)))]
    result = call_value(interp, function, inner)
    made = nodes_since(tensors_in(result), before)
    interp.emit(FunctionCheckpointed(function, made, interp.place(call.node)))
    if _draws_anew(call):
        interp.emit(RedrawnRun(made, interp.place(call.node)))
    if may_differ(interp, function):
        compare_on_backward(interp, made, lambda: call_value(interp, function, inner), call.node)
    _forget(made, before, kept)
    return result


def _draws_anew(call: Call) -> bool:
    """Whether the call asks that the state of the random number generators is not put back.

    Source: `preserve_rng_state` in torch/utils/checkpoint.py; `context_fn` may put it back as well.
    """
    options = call.keywords
    return options.get("preserve_rng_state") is False and "context_fn" not in options


def _forget(nodes: list[Node], before: int, arguments: list[SavedTensor]) -> None:
    """Keep nothing in the nodes made since: it is computed again, from the arguments.

    What comes from elsewhere, out of a closure or of a module, is read again as it is by then.
    """
    own = frozenset(id(saved.storage) for saved in arguments)
    for node in nodes:
        node.recomputed = own
        if node.saved:
            read_again = [
                SavedTensor.of(saved.tensor, "closure", saved.assumptions, unchecked=True)
                for saved in node.saved
                if saved.slot == "input" and id(saved.storage) not in own and _older(saved, before)
            ]
            node.saved, node.frees = [*arguments, *read_again], True


def _older(saved: SavedTensor, before: int) -> bool:
    """Whether a tensor was there before the checkpointed function ran."""
    node = saved.tensor.node
    return node is None or node.sequence <= before


def _reentrant(interp: Interpreter, function: Value, call: Call, *, redrawn: bool) -> Value:
    place = interp.place(call.node)
    tensors = [tensor for value in call.args if (tensor := as_tensor(interp, value)) is not None]
    requires = either(*(tensor.requires_grad for tensor in tensors))
    with interp.engine.mode(grad=False, switch=Created(place, "checkpoint")):
        result = call_value(interp, function, call)
    if requires is None or not interp.engine.recording:
        interp.emit(CheckpointRun(_results(interp, result), place))
        return result
    if requires and all(why.given and why.weight >= Prior.DARING for why in requires):
        interp.emit(CheckpointRun(_results(interp, result), place, requires))
    targets = [edge(interp.engine, tensor, place) for tensor in tensors]
    edges = [target for target in targets if target is not None]
    node = Node("checkpoint", place, interp.engine.next_node(), requires, edges, frees=True)
    node.saved = [SavedTensor.of(tensor, "input", requires) for tensor in tensors]

    def run(needed_at: Place | None) -> None:
        _run_again(interp, function, call, needed_at, redrawn=redrawn)

    node.run = run
    interp.emit(FunctionCheckpointed(function, [node], place))
    outputs = _outputs(result)
    for tensor in outputs:
        if tensor.dtype not in ("int", "bool"):
            tensor.node, tensor.requires, tensor.made = node, requires, node.created
    nested = [one for one in tensors_in(result) if not any(one is other for other in outputs)]
    if nested:
        interp.emit(CheckpointRun(nested, place))
    return result


def _results(interp: Interpreter, result: Value) -> list[Tensor]:
    """The tensors that a checkpoint has given; what unknown code gives is one."""
    ended = isinstance(result, Unknown) and bool(result.graph_breaks)
    tensor = as_tensor(interp, result) if ended else None
    return [tensor] if tensor is not None else list(tensors_in(result))


def _outputs(result: Value) -> list[Tensor]:
    """The results that get a node: those in lists, dictionaries and objects do not.

    Source: `_wrap_outputs` in torch/csrc/autograd/custom_function.cpp, by `ensure_tuple`.
    """
    parts = elements(result, "tuple")
    return [part for part in parts if isinstance(part, Tensor)]


def _refuse_inputs(interp: Interpreter, call: Call) -> None:
    """Report a backward towards given inputs, which a reentrant checkpoint cannot serve."""
    walk = interp.engine.backward.passes[-1].call if interp.engine.backward.passes else None
    if walk is None or walk.inputs is None:
        return
    detail = (
        "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing "
        "an `inputs` parameter to .backward()"
    )
    built = Created(interp.place(call.node), "checkpoint")
    refuse(interp, walk.place, walk.name, detail, built=built)


def _run_again(
    interp: Interpreter,
    function: Value,
    call: Call,
    needed_at: Place | None,
    *,
    redrawn: bool,
) -> None:
    """What backward does: the function with detached arguments, then backward through it."""
    _refuse_inputs(interp, call)
    args = [_detached(value) for value in call.args]
    before = interp.engine.tick()
    with interp.engine.mode(grad=True):
        result = call_value(interp, function, Call(args, call.keywords, call.node))
    if redrawn:
        made = nodes_since(tensors_in(result), before)
        interp.emit(RedrawnRun(made, interp.place(call.node)))
    roots = [tensor for tensor in tensors_in(result) if tensor.requires_grad is not None]
    if roots:
        again = engine.Call(roots, needed_at, gradient_given=True)
        engine.backward(interp.engine, again)
    elif isinstance(result, Tensor):
        _refuse_constant(interp, result, call, needed_at)


def _refuse_constant(
    interp: Interpreter, result: Tensor, call: Call, needed_at: Place | None
) -> None:
    """Report a checkpointed function whose result has no graph when it is run again."""
    interp.engine.report_empty(
        Fault(
            FaultKind.NO_GRAD_ROOT,
            needed_at,
            tensor=result.name,
            operator="checkpoint",
            detail="none of output has requires_grad=True, this checkpoint() is not necessary",
            built=result.cut or Created(interp.place(call.node), "checkpoint"),
            needed=Needed(needed_at, "backward"),
        )
    )


def _detached(value: Value) -> Value:
    tensor = tensor_of(value)
    if tensor is None:
        return value
    detached = tensor.alias(tensor.storage)
    detached.requires, detached.name = tensor.requires_grad, tensor.name
    return detached
