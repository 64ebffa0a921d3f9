"""Examples in docstrings: code that shows how something is used, by Python's own prompts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: (.*))?$", re.MULTILINE)


def examples_in(source: Source) -> tuple[ast.Module, ...]:
    """The examples of a file, one for each string that holds some; those that can be parsed."""
    return _examples(source)


@query
def _examples(source: Source) -> tuple[ast.Module, ...]:
    return tuple(_parsed(source)) if ">>>" in source.text else ()


def _parsed(source: Source) -> Iterator[ast.Module]:
    for node in ast.walk(source.tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and ">>>" in text:
            try:
                yield ast.parse("\n".join(_PROMPT.findall(text)))
            except (SyntaxError, ValueError):
                continue  # it shows more than code
