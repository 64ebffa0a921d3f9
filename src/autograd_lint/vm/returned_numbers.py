"""Where the plain numbers come from that functions return in the place of tensors."""

from __future__ import annotations

import ast

from autograd_lint.places import Place
from autograd_lint.project.nodes import statements
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Value


def remember_number(interp: Interpreter, returned: ast.expr, value: Value) -> None:
    """A function is about to return a number: what of its code says so?"""
    call = interp.frame.call
    if call is not None and type(value) in (int, float):
        place = origin_of_number(interp, returned) or interp.place(returned)
        interp.record.returned.numbers[call.node] = place


def origin_of_number(interp: Interpreter, expression: ast.AST) -> Place | None:
    """Where the number comes from that an expression stands for; None for what no call returned."""
    match expression:
        case ast.Call():
            return interp.record.returned.numbers.get(expression)
        case ast.Name(id=name):
            bound = _bound_last(interp, name, expression.lineno)
            return origin_of_number(interp, bound) if bound is not None else None
        case ast.UnaryOp(operand=operand):
            return origin_of_number(interp, operand)
        case ast.BinOp(left=left, right=right):
            return origin_of_number(interp, left) or origin_of_number(interp, right)
        case ast.IfExp(body=body, orelse=orelse):
            plain = next((one for one in (body, orelse) if isinstance(one, ast.Constant)), None)
            if plain is not None:
                return interp.place(plain)
            return origin_of_number(interp, body) or origin_of_number(interp, orelse)
    return None


def _bound_last(interp: Interpreter, name: str, row: int) -> ast.expr | None:
    """What a name is bound to in the last assignment above a row of the code that runs."""
    function = interp.frame.function
    code = function.node if function is not None else interp.source.tree
    bound = [
        node
        for node in statements(code)
        if isinstance(node, ast.Assign)
        and node.lineno < row
        and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
    ]
    return max(bound, key=lambda node: node.lineno).value if bound else None
