"""`torch.func`: functions of functions. `vmap` runs a function on whole batches at once.

A tensor made inside of such a function is one for all the batch, so nothing that differs from
element to element can be written into it. Which tensors differ is found as it is found which ones
require grad: the function is run on an engine of its own, where the arguments are marked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.machine import Engine, EngineError
from autograd_lint.engine.parts import Transform
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.opaque_modules import result_of
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.transforms.functional_derivatives import (
    judge_inputs,
    judge_scalar,
    judge_tangents,
)
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import elements, endless
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Native, Unknown, Value

_OWN = ("vmap", "backward()")  # how begins what is refused because of the batch
BATCHED = frozenset({Assumption(Kind.ONE_OF_BATCH, weight=0)})


def vmap(interp: Interpreter, call: Call) -> Value:
    """`vmap(func, in_dims)`."""
    function, dims = call.get(0, "func"), call.get(1, "in_dims", 0)
    randomness = call.get(3, "randomness", "error")

    def run(interp: Interpreter, inner: Call) -> Value:
        engine = Engine(transform=Transform(True, str(randomness), transformed=True))
        _try_on_a_batch(interp, engine, function, dims, inner)
        return result_of(interp, Unknown(interp.text(inner.node)), inner)

    return Native("vmap", run)


def differentiated(name: str, interp: Interpreter, call: Call) -> Value:
    """`grad(func)`, `jacrev(func)` and the like: the function is run, its result another."""
    function, aux = call.get(0, "func"), call.keywords.get("has_aux", False)
    wanted = call.get(1, "argnums", 0)

    def run(interp: Interpreter, inner: Call) -> Value:
        judge_inputs(interp, name, wanted, inner)
        result = _transformed(interp, function, inner)
        if name in ("grad", "grad_and_value"):
            judge_scalar(interp, name, result, aux, inner)
        return result_of(interp, Unknown(interp.text(inner.node)), inner)

    return Native("derivative", run)


def _transformed(interp: Interpreter, function: Value, call: Call) -> Value:
    """What a function returns inside of a transform."""
    before, interp.engine.transform.transformed = interp.engine.transform.transformed, True
    try:
        return call_value(interp, function, call)
    finally:
        interp.engine.transform.transformed = before


def jvp(interp: Interpreter, call: Call) -> Value:
    """`jvp(func, primals, tangents)`."""
    primals, tangents = call.get(1, "primals"), call.get(2, "tangents")
    judge_tangents(interp, "jvp", primals, tangents, call)
    given = list(primals.items) if isinstance(primals, Items) and primals.closed else []
    if given:
        _transformed(interp, call.get(0, "func"), Call(given, {}, call.node))
    return result_of(interp, Unknown(interp.text(call.node)), call)


def vjp(interp: Interpreter, call: Call) -> Value:
    """`vjp(func, *primals)`: the result, and what takes its gradient back to the primals."""
    given = Call(call.args[1:], {}, call.node, call.open)
    result = _transformed(interp, call.get(0, "func"), given)

    def back(interp: Interpreter, inner: Call) -> Value:
        judge_tangents(interp, "vjp", result, inner.get(0, "cotangents"), inner)
        return result_of(interp, Unknown(interp.text(inner.node)), inner)

    if call.keywords.get("has_aux", False) is not False:
        return result_of(interp, Unknown(interp.text(call.node)), call)
    output = result_of(interp, Unknown(interp.text(call.node)), given)
    return Items("tuple", [output, Native("vjp", back)])


def _try_on_a_batch(
    interp: Interpreter, engine: Engine, function: Value, dims: Value, call: Call
) -> None:
    outside = interp.engine
    interp.engine = engine
    several: list[Value] = dims.items if isinstance(dims, Items) else [dims] * len(call.args)
    args = [
        value if dim is None else _batched(value)
        for value, dim in zip(call.args, several, strict=False)
    ]
    _judge_batch(interp, call, several)
    try:
        with interp.unheard():
            result = call_value(interp, function, Call(args, call.keywords, call.node))
            _judge_results(interp, result, call)
    except EngineError:
        pass
    finally:
        found = [fault for fault in interp.engine.faults if fault.detail.startswith(_OWN)]
        interp.engine = outside
    for fault in found:
        interp.engine.report(replace(fault, assumptions=fault.assumptions - BATCHED))


def _judge_batch(interp: Interpreter, call: Call, dims: list[Value]) -> None:
    """Report arguments that have no batch, or batches of different sizes."""
    mapped = [value for value, dim in zip(call.args, dims, strict=False) if dim == 0]
    if any(isinstance(value, (int, float, str)) for value in mapped):
        refuse(interp, call.node, "vmap", "vmap: an argument without a batch needs `in_dims=None`")
    shapes = [value.shape for value in mapped if isinstance(value, Tensor)]
    sizes = {shape[0] for shape in shapes if shape and shape[0] is not None}
    if len(sizes) > 1:
        refuse(interp, call.node, "vmap", f"vmap: batches of the sizes {sorted(sizes)}")


def _judge_results(interp: Interpreter, result: Value, call: Call) -> None:
    """Report what is no tensor among the results."""
    results = elements(result)
    if any(value is None or isinstance(value, (int, float, str)) for value in results):
        refuse(interp, call.node, "vmap", "vmap: the function must only return Tensors")


def _batched(value: Value) -> Value:
    if isinstance(value, Items) and not endless(value):
        return Items(value.kind, [_batched(item) for item in value.items], value.rest)
    if not isinstance(value, (Tensor, Unknown)):
        return value
    node = Node("vmap", None, 0, BATCHED, opaque=True)
    known = value if isinstance(value, Tensor) else value.tensor
    shape = known.shape[1:] if known is not None and known.shape else None
    dtype = known.dtype if known is not None else None
    return Tensor(requires=BATCHED, node=node, dtype=dtype, shape=shape, contiguous=None)


TRANSFORMS: dict[str, Callable[[Interpreter, Call], Value]] = {
    **{f"{package}.jvp": jvp for package in ("torch.func", "functorch")},
    **{f"{package}.vjp": vjp for package in ("torch.func", "functorch")},
    **dict.fromkeys(("torch.vmap", "torch.func.vmap", "functorch.vmap"), vmap),
    **{
        f"{package}.{name}": partial(differentiated, name)
        for package in ("torch.func", "functorch")
        for name in ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian")
    },
}
