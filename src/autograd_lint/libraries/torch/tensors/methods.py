"""Methods of tensors that are more than operators."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph_breaks import GraphBreaks
from autograd_lint.engine.inplace import write
from autograd_lint.engine.shapes import numel
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.views import follow_base
from autograd_lint.libraries.torch.events import (
    ArrayTaken,
    Detached,
    DetachedInPlace,
    TensorObserved,
)
from autograd_lint.libraries.torch.modules.uses import STEPS, USING
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.attributes import (
    breaks_by,
    cut,
    set_requires_grad,
    tensor_attribute,
)
from autograd_lint.libraries.torch.tensors.conversions import (
    MAY_RETURN_SELF,
    RESHAPING,
    converted,
    reshape,
)
from autograd_lint.libraries.torch.tensors.factories import like
from autograd_lint.libraries.torch.tensors.hooks import (
    register_hook,
    register_post_accumulate_grad_hook,
)
from autograd_lint.libraries.torch.tensors.tensor_classes import TensorClasses
from autograd_lint.libraries.torch.training.backward import call_backward
from autograd_lint.libraries.torch.transforms.batching import refuse_number
from autograd_lint.vm.calls import Call
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Items, Unknown, Value

Method = Callable[[Interpreter, Tensor, Call], Value]

OPTIONS = ("gradient", "retain_graph", "create_graph", "inputs")  # of `backward`


def tensor_method(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Value:
    """`tensor.name(...)`."""
    run = METHODS.get(name)
    if run is not None:
        return run(interp, tensor, call)
    if name in RESHAPING:
        return reshape(interp, tensor, name, call)
    if name in MAY_RETURN_SELF:
        return converted(interp, tensor, name, call)
    if name.startswith("new_"):
        return like(interp, tensor, name, call)
    receiver = call.node.func if isinstance(call.node, ast.Call) else call.node
    label = interp.text(receiver.value) if isinstance(receiver, ast.Attribute) else None
    args = [tensor, *call.args]
    return apply_operator(
        interp, f"torch.Tensor.{name}", args, call.keywords, call.node, label=label
    )


def _backward(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if not call.keywords.keys() <= set(OPTIONS):
        if tensor.node is not None and tensor.node.opaque:
            return None  # whatever it is, it is no tensor
        raise ProgramRaises("TypeError")
    gradient = call.get(0, "gradient")
    options = Call([], dict(call.keywords), call.node)
    for position, keyword in enumerate(OPTIONS):
        if position < len(call.args):
            options.keywords[keyword] = call.args[position]
    call_backward(interp, [tensor], options, gradient)
    return None


def _detach(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    alias = tensor.alias(tensor.storage)
    alias.name = tensor.name
    # Outside of inference mode the alias may be written.
    alias.inference = tensor.inference and interp.engine.inference
    alias.cut = cut(interp, tensor, "detach", call.node)
    # Who detaches what has no graph any more means it to be a constant.
    if tensor.requires_grad is not None:
        alias.graph_breaks = breaks_by(interp, tensor, "detach", call.node)
    interp.emit(Detached(tensor, alias, Created(interp.place(call.node), "detach")))
    return alias


def _detach_(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if interp.engine.inference:
        return tensor  # autograd is not asked there
    place = interp.place(call.node)
    event = Modified(place, "detach_", tensor.name, tensor.storage.version)
    if tensor.is_view:
        interp.engine.report(
            Fault(
                FaultKind.VIEW_MODIFIED,
                place,
                tensor=tensor.name,
                operator="detach_",
                detail="detach_",
                modified=event,
            )
        )
    interp.emit(DetachedInPlace(tensor, call.node))
    if tensor.requires_grad is not None:
        tensor.graph_breaks = breaks_by(interp, tensor, "detach_", call.node)
    tensor.cut = cut(interp, tensor, "detach_", call.node)
    tensor.node, tensor.requires, tensor.detached = None, None, event
    return tensor


def _fill_diagonal(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """A write through a view."""
    diagonal = apply_operator(interp, "torch.Tensor.diagonal", [tensor], {}, call.node)
    apply_operator(interp, "torch.Tensor.fill_", [diagonal, *call.args[:1]], {}, call.node)
    return tensor


def _other(interp: Interpreter, tensor: Tensor, call: Call, operator: str, detail: str) -> None:
    because = tensor.requires_grad or CERTAINLY
    refuse(interp, call.node, operator, detail, tensor=tensor.name, assumptions=because)


def _requires_grad_(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if interp.engine.transform.transformed and not interp.engine.transform.batched:
        detail = "requires_grad_() was called inside a function that torch.func transforms"
        refuse(interp, call.node, "requires_grad_", detail, tensor=tensor.name)
    set_requires_grad(interp, tensor, call.get(0, "requires_grad", True), call.node)
    return tensor


def _retain_grad(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    place = interp.place(call.node)
    interp.engine.backward.reached.add(place)
    if tensor.requires_grad is None:
        interp.engine.report(
            Fault(FaultKind.RETAIN_GRAD, place, tensor.name, "retain_grad", built=tensor.cut)
        )
    if tensor.node is not None:  # what has none counts as a leaf here, whatever its base is
        follow_base(interp.engine, tensor, place)
    if tensor.node is not None and not tensor.retains_grad:
        tensor.node.retained = (*tensor.node.retained, tensor)
    tensor.retains_grad = True
    interp.emit(TensorObserved(tensor, "retain_grad", place))
    return None


def _share_memory(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """The storage moves, the tensor stays as it is: nothing is written or recorded."""
    return tensor


def _numpy(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    refuse_numpy(interp, tensor, call, "numpy")
    array = _taken(interp, tensor, call, "numpy", "array")
    array.memory = tensor.storage
    return array


def _taken_by(interp: Interpreter, breaks: GraphBreaks, call: Call, name: str) -> GraphBreaks:
    """The graph breaks of values that Python or NumPy gets: who detaches in the same breath does it
    because NumPy asks for it, or out of habit.

    That the values were to have no gradient is not said by it.
    """
    written = isinstance(call.node, ast.Call) and _detaches_first(call.node.func)
    if not written or not breaks or breaks[0].event.operator != "detach":
        return breaks
    event = Created(interp.place(call.node), name)
    return (replace(breaks[0], event=event), *breaks[1:])


def _detaches_first(called: ast.expr) -> bool:
    """Whether `x.detach().cpu().numpy` is written in one."""
    while isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call):
        called = called.value.func
        if isinstance(called, ast.Attribute) and called.attr == "detach":
            return True
    return False


def _storage(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """The memory of a tensor: who writes there is not seen by the version counter."""
    return Unknown(interp.text(call.node), "array", memory=tensor.storage)


def _taken(interp: Interpreter, tensor: Tensor, call: Call, name: str, hint: str) -> Unknown:
    """What Python or NumPy gets of a tensor: its values, without the graph."""
    taken = Unknown(interp.text(call.node), hint=hint)
    breaks = breaks_by(interp, tensor, name, call.node)
    taken.graph_breaks = _taken_by(interp, breaks, call, name)
    return taken


def refuse_numpy(interp: Interpreter, tensor: Tensor, call: Call, operator: str) -> None:
    """Report numpy's access to a tensor that requires grad, in a call."""
    interp.emit(ArrayTaken(call.node))
    if call.keywords.get("force") is not True:
        refuse_array(interp, tensor, call.node, operator)


def refuse_array(interp: Interpreter, tensor: Tensor, node: ast.AST, operator: str) -> None:
    """Report that a tensor that requires grad is made an array.

    Of which nothing is known but that it is handed to NumPy, that is rather data; what was taken
    for data anyway (`batch.data`) is data.
    """
    requires = tensor.requires_grad
    if requires is None or not interp.engine.grad_enabled:
        return
    if any(why.prior is Prior.DATA for why in requires):
        return
    called = interp.called_by_nobody
    if called in USING:
        return  # whoever uses a trained model sees to grad mode
    if called is not None and not _trains(interp):
        # What works with models that others have made would raise at once: they call it without.
        others = interp.frame.receiver is not None or any(why.given for why in requires)
        weight = 1 if called in STEPS else 2
        weight = weight if others else 0
        requires |= {Assumption(Kind.GRAD_MODE_ON, called, weight=weight, called=True)}
    if tensor.node is not None and tensor.node.opaque and _others_are_detached(interp, tensor):
        requires |= {Assumption(Kind.GRAPH_LIKE_PARTS, tensor.name or "")}
    if tensor.node is not None and tensor.node.opaque and not tensor.node.edges:
        requires = frozenset(assumption.as_data() for assumption in requires)
    interp.engine.report(
        Fault(
            FaultKind.NUMPY_ON_GRAD,
            interp.place(node),
            tensor=tensor.name,
            operator=operator,
            built=tensor.node.created if tensor.node else None,
            needed=Needed(interp.place(node), operator),
            assumptions=requires,
        )
    )
    # Where grad mode is off it goes on, but then there are no graphs of it either.
    interp.engine.assumed.treated_as_data.update(tensor.requires_grad or ())


def _trains(interp: Interpreter) -> bool:
    """Whether the function that nothing in the file calls trains something itself: with grad mode
    on."""
    trains_in = interp.world.relevance.trains_in
    called = next(frame for frame in interp.frames if frame.function is not None)
    assert called.function is not None
    return trains_in(called.source, called.function.node)


def _others_are_detached(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether the function detaches other parts of what a tensor is a part of, but not this one."""
    whole, bracket, _ = (tensor.name or "").partition("[")
    function = interp.frame.function
    if not bracket or not whole.isidentifier() or function is None:
        return False
    text = function.source.segment(function.node)
    return re.search(rf"\b{whole}\[[^\n]*\.detach\(\)", text) is not None


def _item(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    refuse_number(interp, tensor, call.node, "item")
    return _taken(interp, tensor, call, "item", "number")


def _tolist(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if tensor.shape == ():
        return _taken(interp, tensor, call, "tolist", "number")
    return Items("list", [], _taken(interp, tensor, call, "tolist", "number"))


def _new(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    return like(interp, tensor, "new_empty", call)


def _size_method(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    shape = tensor_attribute(interp, tensor, "shape", call.node)
    dim = call.get(0, "dim")
    if dim is None:
        return shape
    if (
        isinstance(shape, Items)
        and isinstance(dim, int)
        and -len(shape.items) <= dim < len(shape.items)
    ):
        return shape.items[dim]
    return Unknown(interp.text(call.node), hint="int")


def _numel(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    total = numel(tensor.shape)
    return Unknown(interp.text(call.node), hint="int") if total is None else total


def _dim(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    return tensor_attribute(interp, tensor, "ndim", call.node)


def _number(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    return Unknown(interp.text(call.node), hint="number")


def is_floating(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """`tensor.is_floating_point()`: what is not, does not require grad."""
    if tensor.dtype is None:
        floating = decide(interp, Unknown(interp.text(call.node), hint="bool"), call.node)
        tensor.dtype = "float" if floating else "int"
        if not floating:
            tensor.requires, tensor.node, tensor.base = None, None, None
    return tensor.dtype == "float"


def _is_complex(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if tensor.dtype is None:
        return Unknown(interp.text(call.node), hint="bool")
    return tensor.dtype == "complex"


def _as_subclass(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """`tensor.as_subclass(cls)`: an alias that has the methods of the class."""
    result = apply_operator(interp, "torch.Tensor.as_subclass", [tensor], {}, call.node)
    cls = call.get(0, "cls")
    if isinstance(result, Tensor) and isinstance(cls, Class):
        interp.state(TensorClasses).put(result, cls)
    return result


def _refused_callback(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    name = (
        call.node.func.attr
        if isinstance(call.node, ast.Call) and isinstance(call.node.func, ast.Attribute)
        else "apply_"
    )
    if tensor.requires_grad is not None:
        _other(interp, tensor, call, name, f"Can't call {name}() on Variable that requires grad")
    write(tensor, name, interp.place(call.node), bumps=0)
    return tensor


def _resize(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if tensor.requires_grad is not None:
        _other(interp, tensor, call, "resize_", "cannot resize variables that require grad")
    write(tensor, "resize_", interp.place(call.node))
    return tensor


def _set(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    """`tensor.set_(source)`: the memory of another tensor, with a version counter of its own."""
    args = [tensor, *call.args]
    result = apply_operator(interp, "torch.Tensor.set_", args, call.keywords, call.node)
    source = as_tensor(interp, call.get(0, "source"))
    if source is not None:
        tensor.storage = source.storage.twin()
    return result


METHODS: dict[str, Method] = {
    "as_subclass": _as_subclass,
    "backward": _backward,
    "detach": _detach,
    "detach_": _detach_,
    "fill_diagonal_": _fill_diagonal,
    "requires_grad_": _requires_grad_,
    "retain_grad": _retain_grad,
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "new": _new,
    "numpy": _numpy,
    "share_memory_": _share_memory,
    "storage": _storage,
    "untyped_storage": _storage,
    "item": _item,
    "tolist": _tolist,
    "size": _size_method,
    "is_floating_point": is_floating,
    "is_complex": _is_complex,
    "numel": _numel,
    "nelement": _numel,
    "dim": _dim,
    "__len__": _number,
    "apply_": _refused_callback,
    "map_": _refused_callback,
    "resize_": _resize,
    "set_": _set,
    "resize_as_": _resize,
}
