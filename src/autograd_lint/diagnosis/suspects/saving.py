"""Whether a statement keeps a tensor for backward, by the operator that it is given to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.diagnosis.suspects.code import (
    ALIASES,
    Line,
    Said,
    after,
    before,
    spelt,
)
from autograd_lint.operators.table import load
from autograd_lint.project.code import given_to

_SUMS = (ast.Add, ast.Sub)
_VIEWS = ALIASES | {
    "t", "transpose", "permute", "unsqueeze", "squeeze", "flatten", "expand", "expand_as",
    "view_as", "double", "half", "cuda",
}  # fmt: skip
# What is given a tensor and computes nothing with it that has a gradient.
_LOOKS = re.compile(
    r"^(?:append|extend|print|len|isinstance|hasattr|getattr|id|str|repr|float|int|bool|range|zip|enumerate"
    r"|size|dim|numel|type|item|tolist|numpy|argmax|argmin|all|any|\w+_like)$"
)


def saved_at(line: Line, name: str) -> int | None:
    """The row of the last statement before another that keeps a tensor of that name, or one by
    another name, else of one after it in the same loop."""
    names = {name, *_others(line, name)}
    near = ((one, one.value) for one in (*_since_bound(line, name), *after(line)) if one.value)
    kept = (one for one, value in near if any(n in one.given and saves(value, n) for n in names))
    found = next(kept, None)
    return found.node.lineno if found is not None else None


def read_at(line: Line, name: str) -> int | None:
    """The row of the last statement before another that has a name in what it computes."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w])")
    near = (one for one in _since_bound(line, name) if name in one.given)
    found = next((one for one in near if word.search(one.given)), None)
    return found.node.lineno if found is not None else None


def _since_bound(line: Line, name: str) -> Iterator[Said]:
    """The statements before another, the nearest first, up to the one that bound a name to what it
    is by then; without those that bind it on some paths, where it is another tensor by then."""
    for one in before(line):
        if name not in one.bound:
            yield one
        elif one.node.col_offset <= line.node.col_offset:
            return


def _others(line: Line, name: str) -> set[str]:
    """Other names for the tensor of a name, or for a view of it."""
    near = (one for one in before(line) if name in one.given and not one.several)
    same = (one for one in near if one.value is not None and _is_tensor(one.value, name))
    return {bound for one in same for bound in one.bound}


def saves(node: ast.AST, name: str) -> bool:
    """Whether an expression gives a tensor of that name, or a view of it, to what may keep it."""
    if isinstance(node, ast.BinOp) and _in_product(node, name):
        return True
    if isinstance(node, ast.Compare):
        return False
    if isinstance(node, ast.Call) and _in_call(node, name):
        return True
    if isinstance(node, ast.Subscript) and _is_tensor(node.slice, name):
        return True
    return any(saves(child, name) for child in ast.iter_child_nodes(node))


def _in_product(node: ast.BinOp, name: str) -> bool:
    """Sums keep nothing, products with a number do not keep the other factor."""
    sides = ((node.left, node.right), (node.right, node.left))
    return not isinstance(node.op, _SUMS) and any(
        _is_tensor(one, name) and not isinstance(other, ast.Constant) for one, other in sides
    )


def _in_call(node: ast.Call, name: str) -> bool:
    function = node.func
    called = function.attr if isinstance(function, ast.Attribute) else spelt(function)
    given = given_to(node)
    is_method = isinstance(function, ast.Attribute) and _is_tensor(function.value, name)
    if _LOOKS.match(called or "") or (is_method and called in _VIEWS):
        return False
    return (is_method or any(_is_tensor(one, name) for one in given)) and _may_keep(called or "")


def _may_keep(called: str) -> bool:
    """Whether an operator keeps what it is given; what is not an operator may."""
    homes = ("torch", "torch.nn.functional", "torch.Tensor")
    known = [one for home in homes if (one := load().find(f"{home}.{called}")) is not None]
    saved = (save for one in known[:1] for form in one.forms for save in form.saves)
    return not known or any(not save.is_result for save in saved)


def _is_tensor(node: ast.AST, name: str) -> bool:
    """Whether an expression is the tensor of that name, or a view of it."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in _VIEWS:
                return False
            node = node.func.value
        elif isinstance(node, ast.Starred):
            node = node.value
        else:
            return isinstance(node, ast.expr) and spelt(node) == name
