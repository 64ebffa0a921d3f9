"""`torch.func`: functions of functions. `vmap` runs a function on whole batches at once.

A tensor made inside of such a function is one for all the batch, so nothing that differs from
element to element can be written into it. Which tensors differ is found as it is found which ones
require grad: the function is run on an engine of its own, where the arguments are marked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from autograd_lint.engine.faults import Assumption
from autograd_lint.engine.graph import Node
from autograd_lint.engine.machine import Engine, EngineError
from autograd_lint.engine.tensor import Tensor
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.python.calls import Call, call_value
from autograd_lint.interpreter.pytorch.functional_derivatives import judge_scalar
from autograd_lint.interpreter.pytorch.hidden import result_of
from autograd_lint.interpreter.values import Items, Native, Unknown, Value
from autograd_lint.interpreter.watching.state import Watch

BATCHED = frozenset({Assumption("it is one of a batch", 0)})


def vmap(interp: Interpreter, call: Call) -> Value:
    """`vmap(func, in_dims)`."""
    function, dims = call.get(0, "func"), call.get(1, "in_dims", 0)
    randomness = call.get(3, "randomness", "error")

    def run(interp: Interpreter, inner: Call) -> Value:
        engine = Engine(batched=True, randomness=str(randomness), transformed=True)
        _try_on_a_batch(interp, engine, function, dims, inner)
        return result_of(interp, Unknown(interp.text(inner.node)), inner)

    return Native("vmap", run)


def differentiated(name: str, interp: Interpreter, call: Call) -> Value:
    """`grad(func)`, `jacrev(func)` and their like: the function is run, its result another."""
    function, aux = call.get(0, "func"), call.keywords.get("has_aux", False)

    def run(interp: Interpreter, inner: Call) -> Value:
        before, interp.engine.transformed = interp.engine.transformed, True
        try:
            result = call_value(interp, function, inner)
        finally:
            interp.engine.transformed = before
        if name in ("grad", "grad_and_value"):
            judge_scalar(interp, name, result, aux, inner)
        return result_of(interp, Unknown(interp.text(inner.node)), inner)

    return Native("derivative", run)


def _try_on_a_batch(
    interp: Interpreter, engine: Engine, function: Value, dims: Value, call: Call
) -> None:
    outside, watch = interp.engine, interp.watch
    interp.engine, interp.watch = engine, Watch()
    several = dims.items if isinstance(dims, Items) else [dims] * len(call.args)
    args = [
        value if dim is None else _batched(value)
        for value, dim in zip(call.args, several, strict=False)
    ]
    try:
        call_value(interp, function, Call(args, call.keywords, call.node))
    except EngineError:
        pass
    finally:
        found = [fault for fault in interp.engine.faults if fault.detail.startswith("vmap")]
        interp.engine, interp.watch = outside, watch
    for fault in found:
        interp.engine.report(replace(fault, assumptions=fault.assumptions - BATCHED))


def _batched(value: Value) -> Value:
    if isinstance(value, Items):
        return Items(value.kind, [_batched(item) for item in value.items], value.rest)
    if not isinstance(value, (Tensor, Unknown)):
        return value
    node = Node("vmap", None, 0, BATCHED, opaque=True)
    known = value if isinstance(value, Tensor) else value.tensor
    shape = known.shape[1:] if known is not None and known.shape else None
    dtype = known.dtype if known is not None else None
    return Tensor(requires=BATCHED, node=node, dtype=dtype, shape=shape, contiguous=None)


TRANSFORMS: dict[str, Callable[[Interpreter, Call], Value]] = {
    **dict.fromkeys(("torch.vmap", "torch.func.vmap", "functorch.vmap"), vmap),
    **{
        f"{package}.{name}": partial(differentiated, name)
        for package in ("torch.func", "functorch")
        for name in ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian")
    },
}
