"""Which tensor a statement writes in place, and by which operator."""

from __future__ import annotations

import ast
import re

from autograd_lint.diagnosis.suspects.code import ALIASES, Line, called, spelt
from autograd_lint.operators.table import load

_METHOD = re.compile(r"^(?!__)[a-z]\w*[a-z0-9]_$")
_HARMLESS = frozenset({"requires_grad_", "share_memory_", "retain_grad_", "train_"})
_TEXTS = re.compile(r"(?:^|[._])(?:name|key|field|attr|prefix|k)$")
_MAPPING = re.compile(r"dict|kwargs|config|cfg|param_group|mapping|lookup|registry|environ")
_FUNCTIONS = frozenset({"init", "nn.init", "torch.nn.init", "F", "torch"})


def written(line: Line) -> str | None:
    """The name of the tensor that a statement writes in place; empty for one without a name, None
    where it writes none."""
    node = line.node
    if isinstance(node, ast.AugAssign):
        return None if _has_text_key(node.target) else _root(node.target)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return None if _has_text_key(node.targets[0]) else _root(node.targets[0])
    for part in line.parts:
        if isinstance(part, ast.Call):
            name = _of_call(part)
            if name is not None:
                return name
    return None


def _has_text_key(node: ast.expr) -> bool:
    """Whether an element of a dictionary is bound, by a key that is a text."""
    keys = [part.slice for part in ast.walk(node) if isinstance(part, ast.Subscript)]
    return any(map(_is_text, keys)) or (bool(keys) and _MAPPING.search(_root(node)) is not None)


def _is_text(key: ast.expr) -> bool:
    """Whether a key is a text: it has one in it, or is named as one."""
    parts = list(ast.walk(key))
    texts = (part.value for part in parts if isinstance(part, ast.Constant))
    named = (spelt(part) or "" for part in parts if isinstance(part, (ast.Name, ast.Attribute)))
    return any(isinstance(one, str) for one in texts) or any(map(_TEXTS.search, named))


def _of_call(call: ast.Call) -> str | None:
    function = call.func
    for keyword in call.keywords:
        if keyword.arg == "inplace" and getattr(keyword.value, "value", False) is True:
            return "" if _makes_module(call) or not call.args else _root(call.args[0])
        if keyword.arg == "out":
            return _root(keyword.value)
    if isinstance(function, ast.Attribute):
        if _METHOD.match(function.attr) and _is_operator(function):
            is_function = spelt(function.value) in _FUNCTIONS
            return _root(call.args[0]) if is_function and call.args else _root(function.value)
        if function.attr == "step" and not call.args:
            return "step()"
    return None


def _makes_module(call: ast.Call) -> bool:
    """Whether a call makes a module that writes, and writes nothing itself."""
    called = (spelt(call.func) or "").rpartition(".")[2]
    return (
        isinstance(call.func, ast.Call)
        or called[:1].isupper()
        or re.search(r"(?:^|_)(?:layer|act|norm)\w*$", called) is not None
    )


def _is_operator(function: ast.Attribute) -> bool:
    """Whether a method with the name of a write is one of tensors, and writes."""
    if function.attr in _HARMLESS or spelt(function.value) == "self":
        return False
    initial = (spelt(function.value) or "").rpartition(".")[2] == "init"
    return initial or load().is_tensor_method(function.attr)


def _root(node: ast.expr) -> str:
    """The name under indices, views and calls."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        else:
            return spelt(node) or ""


def temporary(line: Line) -> ast.Call | ast.BinOp | None:
    """What computes a tensor that is written where it is made, and has no name:
    `x.exp().add_(1)`, `(x - y).abs_()`."""
    for part in line.parts:
        function = part.func if isinstance(part, ast.Call) else None
        if isinstance(function, ast.Attribute) and _METHOD.match(function.attr):
            made_here = function.value
            while isinstance(made_here, ast.Call) and isinstance(made_here.func, ast.Attribute):
                if made_here.func.attr not in ALIASES and not made_here.func.attr.endswith("_"):
                    return made_here
                made_here = made_here.func.value
            if isinstance(made_here, ast.BinOp):
                return made_here
    return None


def writers(line: Line) -> list[str]:
    """The operators by which a statement writes; of a part of a tensor, those of the whole."""
    node = line.node
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        return ["copyslices"]
    if isinstance(node, ast.AugAssign):
        return called(ast.BinOp(ast.Name(""), node.op, ast.Name("")))
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return ["copyslices"]
    found = called(getattr(node, "value", None))
    return [one.rstrip("_") for one in found if one.endswith("_")] + _in_place_forms(line)


def _in_place_forms(line: Line) -> list[str]:
    """The functions that a statement calls with `inplace=True`."""
    calls = (part for part in line.parts if isinstance(part, ast.Call))
    return [
        name
        for call in calls
        if any(one.arg == "inplace" for one in call.keywords)
        for name in called(call)[:1]
    ]


def writes_part(line: Line) -> bool:
    """Whether a statement computes a part of a tensor in place: `x[0] += 1`."""
    node = line.node
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript)


def counts(line: Line) -> bool:
    """Whether a statement adds a whole number, or sets an element to one."""
    value = getattr(line.node, "value", None)
    return (
        isinstance(line.node, (ast.Assign, ast.AugAssign))
        and isinstance(value, ast.Constant)
        and type(value.value) is int
    )


def replaces_element(line: Line) -> bool:
    """Whether an element is bound to what a call makes of it: `x[i] = f(x[i])`."""
    node = line.node
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    target, given = node.targets[0], node.value.args
    is_element = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Name)
    return is_element and ast.unparse(target) in map(ast.unparse, given)
