"""Makes a program smaller while something about it stays so."""

import ast
from collections.abc import Callable, Iterator


def shrink(text: str, holds: Callable[[str], bool]) -> str:
    """The smallest program found by dropping lines and simplifying expressions."""
    improved = True
    while improved:
        improved = False
        for candidate in (*_without_lines(text), *_simpler(text)):
            if len(candidate) < len(text) and _parses(candidate) and holds(candidate):
                text, improved = candidate, True
                break
    return text


def _parses(text: str) -> bool:
    try:
        compile(text, "candidate", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _without_lines(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for size in (8, 4, 2, 1):
        for start in range(len(lines) - size, -1, -1):
            yield "".join(lines[:start] + lines[start + size :])
    for start, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        end = start + 1
        while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        if end > start + 1:
            yield "".join(lines[:start] + lines[end:])
            yield "".join(
                lines[:start] + [inner[4:] for inner in lines[start + 1 : end]] + lines[end:]
            )


def _simpler(text: str) -> Iterator[str]:
    """The program with one expression replaced by a part of it, or by a plain name."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call | ast.BinOp | ast.Subscript | ast.UnaryOp | ast.List):
            continue
        begin, end = _span(node, starts)
        for child in ast.walk(node):
            if child is not node and isinstance(child, ast.expr):
                inner = slice(*_span(child, starts))
                yield text[:begin] + text[inner] + text[end:]


def _span(node: ast.expr, starts: list[int]) -> tuple[int, int]:
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    return starts[node.lineno - 1] + node.col_offset, end
