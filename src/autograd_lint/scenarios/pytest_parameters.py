"""What pytest gives the arguments of a test: where that is always the same, it is known.

Source: https://docs.pytest.org/en/stable/how-to/parametrize.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.code import code_of
from autograd_lint.vm.values import Value


def given_by_marks(node: ast.AST) -> Iterator[tuple[str, Value]]:
    """The parameters of a test for which its marks name one constant, with that constant."""
    for mark in getattr(node, "decorator_list", ()):
        if isinstance(mark, ast.Call) and code_of(mark.func).endswith("mark.parametrize"):
            name, values = [*mark.args, None, None][:2]
            if isinstance(name, ast.Constant) and isinstance(values, (ast.List, ast.Tuple)):
                found = [part.value for part in values.elts if isinstance(part, ast.Constant)]
                if len(values.elts) == len(found) == 1:
                    yield str(name.value), found[0]
