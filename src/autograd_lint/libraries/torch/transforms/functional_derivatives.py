"""`torch.autograd.functional` and `torch.func.grad`: what they ask of the function they are given.

Mirrors torch/autograd/functional.py and torch/_functorch/eager_transforms.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.machine import EngineError
from autograd_lint.engine.shapes import differ, numel
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.tensors.non_tensors import left_torch
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import elements
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Mapping, Unknown, Value

# Those that differentiate one number.
_OF_ONE = ("hessian", "hvp", "vhp")
# Those that take a vector beside the inputs.
_WITH_VECTOR = ("vjp", "jvp", "hvp", "vhp")
_NAMES = ("jacobian", "hessian", *_WITH_VECTOR)
# What gives gradients that have no graph without `create_graph`.
GRADIENTS = frozenset({"grad", *_NAMES})
_PLAIN = (int, float, str, Mapping)


def _derivative(name: str, interp: Interpreter, call: Call) -> Value:
    """`jacobian(func, inputs)` and the like: what `func` returns is judged; what they return has no
    graph without `create_graph`, and is unknown with it."""
    function, inputs = call.get(0, "func"), call.get(1, "inputs")
    given = elements(inputs)
    traced = list(map(_traced, given))
    try:
        with interp.guarded():
            result = call_value(interp, function, Call(list(traced), {}, call.node))
    except EngineError:
        return Unknown(interp.text(call.node))
    detail = _why_not(name, given, result, call)
    if detail:
        refuse(interp, call.node, name, detail)
    of_one = isinstance(inputs, Tensor) and isinstance(result, Tensor)
    if of_one and isinstance(result, Tensor) and _creates_no_graph(name, call):
        parts = [_constant(interp, name, result, traced, call) for _ in range(_parts(name))]
        return Items("tuple", list(parts)) if len(parts) > 1 else parts[0]
    return Unknown(interp.text(call.node))


def _creates_no_graph(name: str, call: Call) -> bool:
    position = 3 if name in _WITH_VECTOR else 2
    return not call.open and call.get(position, "create_graph") in (None, False)


def _parts(name: str) -> int:
    """How many tensors a function returns: those with a vector begin with the outputs."""
    return 2 if name in _WITH_VECTOR else 1


def _constant(
    interp: Interpreter, name: str, result: Tensor, traced: list[Value], call: Call
) -> Tensor:
    """What is returned without a graph, where that of `result` ends if it has parameters."""
    made = Created(interp.place(call.node), name)
    constant = Tensor(dtype=result.dtype, made=made)
    inputs = {id(one) for one in traced}
    node, requires = result.node, result.requires_grad
    if node is None or requires is None:
        return constant
    if any(id(leaf) not in inputs for leaf in leaves_of([node])):
        constant.graph_breaks = (GraphBreak(made, node, requires),)
    return constant


def _traced(value: Value) -> Value:
    """An input as the function gets it: it requires grad."""
    if not isinstance(value, Tensor):
        return value
    traced = value.alias(value.storage)
    traced.requires, traced.name = CERTAINLY, value.name
    return traced


def _why_not(name: str, given: list[Value], result: Value, call: Call) -> str:
    """Why the function cannot be differentiated so; empty where it can, as far as one knows."""
    outputs = _outputs(result)
    if any(_is_plain(output) for output in outputs):
        return f"the outputs of the function given to {name} must be tensors"
    tensors = [output for output in outputs if isinstance(output, Tensor)]
    if name in _OF_ONE and len(outputs) > 1:
        return f"the function given to {name} should return a single Tensor"
    if name in _OF_ONE and any(numel(tensor.shape) not in (None, 1) for tensor in tensors):
        return f"the Tensor returned by the function given to {name} should contain one element"
    if call.keywords.get("strict") is True and any(t.requires_grad is None for t in tensors):
        return "an output does not require gradients: it is independent of the inputs"
    return _wrong_vector(name, given, outputs, call) if name in _WITH_VECTOR else ""


def _outputs(result: Value) -> list[Value]:
    """What a function returns, one by one."""
    if not isinstance(result, Items):
        return [result]
    return [*result.items, result.rest] if result.rest is not None else list(result.items)


def _is_plain(value: Value) -> bool:
    """Whether a value is surely no tensor, nor a sequence of some."""
    return isinstance(value, _PLAIN) or bool(left_torch(value))


def _wrong_vector(name: str, given: list[Value], outputs: list[Value], call: Call) -> str:
    """Why the vector is not one of that space: of outputs for `vjp`, else of inputs."""
    space = outputs if name == "vjp" else given
    vector = call.get(2, "v")
    if len(space) != 1 or not isinstance(space[0], Tensor) or call.open:
        return ""
    shape = space[0].shape
    if vector is None and numel(shape) not in (None, 1):
        return f"the vector v can only be None for a single element in {name}"
    if isinstance(vector, Tensor) and differ(shape, vector.shape):
        return "v has an invalid size"
    return ""


def judge_inputs(interp: Interpreter, name: str, wanted: Value, call: Call) -> None:
    """Report what cannot be differentiated by: no tensor, or one of integers.

    `wanted` are the positions of what is differentiated by (`argnums`).
    """
    positions = elements(wanted)
    for position in positions:
        if not isinstance(position, int) or not -len(call.args) <= position < len(call.args):
            continue
        value = call.args[position]
        if _is_plain(value) and not isinstance(value, (Items, Mapping)):
            refuse(interp, call.node, name, "what is differentiated by must be a Tensor")
        elif isinstance(value, Tensor) and value.dtype in ("int", "bool"):
            detail = "only Tensors of floating point dtype can require gradients"
            refuse(interp, call.node, name, detail, tensor=value.name)


def judge_tangents(interp: Interpreter, name: str, values: Value, given: Value, call: Call) -> None:
    """Report tangents, or gradients, of other sizes than what they are given for."""
    for value, other in zip(_outputs(values), _outputs(given), strict=False):
        if not (isinstance(value, Tensor) and isinstance(other, Tensor)):
            continue
        if differ(value.shape, other.shape):
            refuse(interp, call.node, name, "mismatch in shape", tensor=other.name)
            return


def judge_scalar(interp: Interpreter, name: str, result: Value, aux: Value, call: Call) -> None:
    """Report a function given to `torch.func.grad` that returns no single number in a tensor."""
    if aux is True:
        result = result.items[0] if isinstance(result, Items) and result.items else None
    elif isinstance(aux, Unknown):
        return
    detail = ""
    if isinstance(result, Items) or _is_plain(result):
        detail = "expected f(*args) to return a Tensor"
    elif isinstance(result, Tensor) and result.shape:
        detail = f"expected f(*args) to return a scalar Tensor, got one of {len(result.shape)} dims"
    if detail:
        refuse(interp, call.node, name, detail)


_PACKAGE = "torch.autograd.functional"
FUNCTIONAL: dict[str, Callable[[Interpreter, Call], Value]] = {
    f"{_PACKAGE}.{name}": partial(_derivative, name) for name in _NAMES
}
