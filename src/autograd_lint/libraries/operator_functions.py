"""The functions of Python's `operator` module: its operators by name."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.vm.arithmetic import (
    BINARY,
    UNARY,
    binary,
    materialized,
    unary,
)
from autograd_lint.vm.asking import COMPARE
from autograd_lint.vm.calls import Call
from autograd_lint.vm.comparing import compare
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.subscripts import get_item, set_item
from autograd_lint.vm.values import Unknown, Value

_BINARY = {name: kind for kind, (name, _) in BINARY.items()}
_UNARY = {name: kind for kind, (name, _) in UNARY.items()}
_COMPARE = {name: kind for kind, (name, _) in COMPARE.items()}


def call_operator(interp: Interpreter, name: str, call: Call) -> Value:
    """`operator.name(...)`; Unknown for what is no operator."""
    bare = name.strip("_")
    args = [materialized(arg) for arg in call.args]
    if len(args) == 1 and bare in _UNARY:
        return unary(interp, _UNARY[bare](), args[0], call.node)
    if len(args) == 2 and bare in _BINARY:
        return binary(interp, _BINARY[bare](), args[0], args[1], call.node)
    if len(args) == 2 and bare in _COMPARE:
        return compare(interp, _COMPARE[bare](), args[0], args[1], call.node)
    if len(args) == 2 and bare[:1] == "i" and bare[1:] in _BINARY:
        return _in_place(interp, bare[1:], args, call)
    if bare == "getitem" and len(args) == 2:
        return get_item(interp, args[0], args[1], call.node)
    if bare == "setitem" and len(args) == 3:
        set_item(interp, args[0], args[1], args[2], call.node, _label(interp, call))
        return None
    return Unknown(interp.text(call.node))


def _in_place(interp: Interpreter, name: str, args: list[Value], call: Call) -> Value:
    if not isinstance(args[0], Tensor):
        return binary(interp, _BINARY[name](), args[0], args[1], call.node)
    path = f"torch.Tensor.__i{name}__"
    return apply_operator(interp, path, args, {}, call.node, label=_label(interp, call))


def _label(interp: Interpreter, call: Call) -> str:
    node = call.node
    return interp.text(node.args[0] if isinstance(node, ast.Call) and node.args else node)
