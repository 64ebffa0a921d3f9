"""Makes two files of a program: its functions and classes move into the second one."""

import ast


def split(text: str) -> tuple[str, str]:
    """The program that imports `parts`, and `parts`; the second is empty where nothing can move.

    A function or class moves when it uses no name that the rest of the program binds.
    """
    lines = text.splitlines()
    tree = ast.parse(text)
    definitions = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    imports = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    rest = [n for n in tree.body if n not in definitions and n not in imports]
    bound = {name for node in rest for name in _bound(node)}
    moving = [n for n in definitions if not bound & _read(n)]
    moving = [n for n in moving if not {d.name for d in definitions if d not in moving} & _read(n)]
    if not moving:
        return text, ""
    rows = {row for node in moving for row in _rows(node)}
    head = [lines[row - 1] for node in imports for row in _rows(node)]
    parts = [*head, *(lines[row - 1] for row in sorted(rows))]
    own = [f"from parts import {', '.join(node.name for node in moving)}"]
    own += [line for row, line in enumerate(lines, 1) if row not in rows]
    return "\n".join(own) + "\n", "\n".join(parts) + "\n"


def _rows(node: ast.stmt) -> range:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _bound(node: ast.AST) -> set[str]:
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store)}


def _read(node: ast.AST) -> set[str]:
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Load)} - _bound(node)
