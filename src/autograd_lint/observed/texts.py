"""Which text a function is known by: an edit makes another function of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from hashlib import sha256
from textwrap import dedent
from typing import TypeAlias

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_DIGITS = 16


def functions_in(tree: ast.Module) -> Iterator[tuple[str, Definition]]:
    """The functions of a module and the methods of its classes, by their names in it."""
    for statement in tree.body:
        if isinstance(statement, Definition):
            yield statement.name, statement
        elif isinstance(statement, ast.ClassDef):
            methods = (one for one in statement.body if isinstance(one, Definition))
            yield from ((f"{statement.name}.{method.name}", method) for method in methods)


def digest(lines: Sequence[str], node: Definition) -> str:
    """The digest of a function's text, without its decorators, its indentation and blank ends.

    `lines` are those of the whole file.
    """
    rows = lines[node.lineno - 1 : node.end_lineno]
    text = dedent("\n".join(row.rstrip() for row in rows))
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
