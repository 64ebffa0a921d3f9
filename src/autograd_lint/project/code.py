"""The code of a node as text."""

from __future__ import annotations

import ast

# Where a node keeps its code, the same on one line, and that shortened.
_CODE, _LINE, _SPELT = "_code", "_line", "_spelt"
_LONGEST = 60
_CHAINED = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


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
        found = vars(node)[_CODE] = _chain(node) or ast.unparse(node)
    return found


def _chain(node: ast.AST) -> str:
    """The code of an attribute, element or call of what is a name or another one of them; empty for
    anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, _CHAINED):
        keywords = (f"{one.arg}=" if one.arg else "**" for one in node.keywords)
        named = (key + code_of(one.value) for key, one in zip(keywords, node.keywords, strict=True))
        return f"{code_of(node.func)}({', '.join([*map(code_of, node.args), *named])})"
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, _CHAINED):
        if isinstance(node, ast.Attribute):
            return f"{code_of(node.value)}.{node.attr}"
        if not isinstance(node.slice, ast.Tuple):
            return f"{code_of(node.value)}[{code_of(node.slice)}]"
    return ""


def last_name(node: ast.AST | None) -> str:
    """The last part of a dotted name; empty for all else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def called_name(node: ast.AST) -> str:
    """The last name of what an expression calls; empty for one that is no call of a name."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def length_of(node: ast.AST | None) -> ast.expr | None:
    """Whose length an expression is: `memory` of `len(memory)`; None of any other expression."""
    if isinstance(node, ast.Call) and code_of(node.func) == "len" and node.args:
        return node.args[0]
    return None


def given_to(call: ast.Call) -> list[ast.expr]:
    """The values that a call is given, by position and by name."""
    return [*call.args, *(one.value for one in call.keywords)]


def root_of(node: ast.AST) -> str:
    """The name that an expression begins with; empty where it begins with something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def on_one_line(node: ast.AST) -> str:
    """The code of a node, on one line."""
    found: str | None = vars(node).get(_LINE)
    if found is None:
        found = vars(node)[_LINE] = " ".join(code_of(node).split())
    return found


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
