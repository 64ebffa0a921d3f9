"""Whether what a statement writes is a tensor at all, by its name and by what it was made of."""

from __future__ import annotations

import ast
import re

from autograd_lint.diagnosis.suspects.code import Line, is_parameter

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.JoinedStr, ast.Lambda)
_PLAIN = re.compile(r"\b(?:np|numpy|math|random|os|dict|list|set|str|int|len|range|Counter)\b[.(]")
_COUNTER = re.compile(
    r"(?:^|\.)(?:[ijkn]|key|name|(?:global_)?step|count\w*|num\w*|n_\w+|epoch|iter\w*|k?size|\w*stride|retry|seed"
    r"|n?dims?|idx|index|pos|offset|\w+_(?:count|steps?|idx|size|len|length|dim))$"
)
_LISTED = re.compile(r"(?:^|[._])(?:list|\w+_list|lines|texts|rewards)$")
_NUMBERS = re.compile(r"(?:^|\.)(?:len|int|float|dim|ndimension|size|numel|item|time|round)$")
DTYPES = {
    "int": re.compile(r"idx|_ind|index|indices|label|target|ids?\b|token"),
    "bool": re.compile(r"mask|done|valid|keep"),
}
"""What tensors of a dtype other than float are usually called."""


def is_no_tensor(line: Line, name: str, origin: ast.expr | None) -> bool:
    """Whether `name`, which was made by `origin` if that is known, is a number, a text, a list."""
    if isinstance(origin, (ast.Constant, *_DISPLAYS)):
        return True
    if origin is not None and _PLAIN.search(ast.unparse(origin)):
        return True
    code, value = line.code, getattr(line.node, "value", None)
    made_so = origin is not None or isinstance(line.node, ast.AugAssign)
    if not made_so and _PLAIN.search(code) and "torch" not in code:
        return True
    if isinstance(value, _DISPLAYS) or _LISTED.search(name) or _gives_text(value):
        return True
    if isinstance(line.node, ast.AugAssign) and (_COUNTER.search(name) or _gives_number(value)):
        return True
    counts = isinstance(line.node, ast.AugAssign) and isinstance(line.node.value, ast.Constant)
    return counts and origin is None and not is_parameter(line, name)


def _gives_number(value: ast.expr | None) -> bool:
    """Whether a value is a number of Python's, by the call that gives it: a size, a length."""
    called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return _NUMBERS.search(called) is not None


def _gives_text(value: ast.expr | None) -> bool:
    """Whether a value is a text, by what is in it."""
    if value is None or isinstance(value, ast.Call):
        return False
    parts = [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in parts
    )
