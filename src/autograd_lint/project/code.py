"""The code of a node as text."""

from __future__ import annotations

import ast

_CODE, _SPELT = "_code", "_spelt"  # where a node keeps its code, and the same shortened
_LONGEST = 60


def code_of(node: ast.AST) -> str:
    """As `ast.unparse`, without its long way for what is most often asked for: plain names.

    A definition goes by its name.
    """
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name
    if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
        return f"{code_of(node.value)}.{node.attr}"
    found: str | None = vars(node).get(_CODE)
    if found is None:
        found = vars(node)[_CODE] = ast.unparse(node)
    return found


def root_of(node: ast.AST) -> str:
    """The name that an expression begins with; empty where it begins with something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def on_one_line(node: ast.AST) -> str:
    """The code of a node, on one line."""
    return " ".join(code_of(node).split())


def spelt(node: ast.AST) -> str:
    """The code of a node, on one line and not too long."""
    found: str | None = vars(node).get(_SPELT)
    if found is None:
        found = vars(node)[_SPELT] = shortened(on_one_line(node))
    return found


def shortened(code: str) -> str:
    """Not too much of some code; what is a call still looks like one."""
    end = "...)" if code.endswith(")") else "..."
    return code if len(code) <= _LONGEST else code[: _LONGEST - len(end)] + end
