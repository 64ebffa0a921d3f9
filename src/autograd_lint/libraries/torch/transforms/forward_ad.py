"""`torch.autograd.forward_ad`: levels, and dual tensors that carry a tangent.

Mirrors torch/autograd/forward_ad.py and torch/csrc/autograd/forward_grad.cpp. Which tensors are
dual is known of those that `make_dual` returns, not of what is computed from them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from autograd_lint.engine.shapes import differ
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import Manager
from autograd_lint.vm.values import Items, Unknown, Value


def is_dual(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a dual tensor of the level that is open."""
    return tangent_of(interp, value) is not None


def tangent_of(interp: Interpreter, value: Value) -> Tensor | None:
    """The tangent of a dual tensor; None for whatever else."""
    pairs = interp.engine.transform.duals or ()
    return next((tangent for dual, tangent in pairs if dual is value), None)


def make_dual(interp: Interpreter, tensor: Tensor, tangent: Tensor) -> None:
    """Have a tensor carry a tangent, where a level is open."""
    if interp.engine.transform.duals is not None:
        interp.engine.transform.duals.append((tensor, tangent))


@contextmanager
def _level(interp: Interpreter) -> Iterator[Value]:
    before, interp.engine.transform.duals = interp.engine.transform.duals, []
    try:
        yield None
    finally:
        interp.engine.transform.duals = before


def _dual_level(interp: Interpreter, call: Call) -> Value:
    """`with dual_level():`, of which there may be one at a time."""
    _refuse_nested(interp, call)
    return Manager(_level)


def _enter(interp: Interpreter, call: Call) -> Value:
    _refuse_nested(interp, call)
    interp.engine.transform.duals = []
    return Unknown(interp.text(call.node), "int")


def _exit(interp: Interpreter, call: Call) -> Value:
    if interp.engine.transform.duals is None:
        refuse(interp, call.node, "exit_dual_level", "no level of forward AD is open")
    interp.engine.transform.duals = None
    return None


def _refuse_nested(interp: Interpreter, call: Call) -> None:
    if interp.engine.transform.duals is not None:
        detail = "Nested forward mode AD is not supported at the moment"
        refuse(interp, call.node, interp.text(call.node), detail)


def _make_dual(interp: Interpreter, call: Call) -> Value:
    """`make_dual(primal, tangent)`: a view of the primal."""
    primal, tangent = call.get(0, "tensor"), call.get(1, "tangent")
    detail = _why_not(interp, primal, tangent)
    if detail:
        refuse(interp, call.node, "make_dual", detail)
    if not isinstance(primal, Tensor):
        return Unknown(interp.text(call.node))
    dual = primal.alias(primal.storage)
    dual.requires, dual.node, dual.name = primal.requires_grad, primal.node, primal.name
    given = tangent if isinstance(tangent, Tensor) else Tensor(name="the tangent", dtype=None)
    make_dual(interp, dual, given)
    return dual


def _why_not(interp: Interpreter, primal: Value, tangent: Value) -> str:
    """Why no dual tensor can be made of these; empty where one can."""
    if interp.engine.transform.duals is None:
        return "no level of forward AD is open: enter `dual_level()` first"
    for role, value in (("primal", primal), ("tangent", tangent)):
        if isinstance(value, Tensor) and value.dtype in ("int", "bool"):
            return f"Expected {role} to be floating point or complex"
    shapes = [value.shape for value in (primal, tangent) if isinstance(value, Tensor)]
    if len(shapes) == 2 and differ(*shapes):
        return "the tangent has another size than the primal"
    if is_dual(interp, primal):
        return "the primal already has a forward gradient at this level"
    if is_dual(interp, tangent):
        return "the tangent itself has a forward gradient at this level"
    return ""


def _unpack_dual(interp: Interpreter, call: Call) -> Value:
    """`unpack_dual(tensor)`: primal and tangent."""
    tensor = call.get(0, "tensor")
    tangent = tangent_of(interp, tensor) or Unknown(interp.text(call.node))
    return Items("tuple", [tensor, tangent], fields=("primal", "tangent"))


def refuse_out(interp: Interpreter, name: str, bound: Mapping[str, Value], node: ast.AST) -> None:
    """Report a dual tensor given to an `out=` function, which forward AD does not go through."""
    if bound.get("out") is not None and any(is_dual(interp, value) for value in bound.values()):
        refuse(interp, node, name, "forward AD does not support `out=` functions")


PACKAGE = "torch.autograd.forward_ad"
FORWARD_AD = {
    f"{PACKAGE}.dual_level": _dual_level,
    f"{PACKAGE}.enter_dual_level": _enter,
    f"{PACKAGE}.exit_dual_level": _exit,
    f"{PACKAGE}.make_dual": _make_dual,
    f"{PACKAGE}.unpack_dual": _unpack_dual,
}
