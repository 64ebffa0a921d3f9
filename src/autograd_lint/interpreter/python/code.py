"""The code of a node as text."""

from __future__ import annotations

import ast


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
    return ast.unparse(node)
