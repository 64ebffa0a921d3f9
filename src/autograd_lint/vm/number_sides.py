"""What a conditional expression says of its two sides: `loss.item() if task else loss`."""

from __future__ import annotations

import ast

from autograd_lint.project.code import code_of


def takes_number(side: ast.expr, value: ast.expr) -> bool:
    """Whether a side takes the number out of a value: it is a number then on the other side."""
    if not (isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute)):
        return False
    if side.func.attr != "item" or isinstance(value, ast.Call):
        return False
    owner: ast.expr = side.func
    while isinstance(owner, (ast.Call, ast.Attribute)) and code_of(owner) != code_of(value):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
    return code_of(owner) == code_of(value)
