"""Windows of accumulated batches whose loss nothing divides by their number.

for step, batch in enumerate(loader):
    loss_of(model, batch).backward()              # a mean over the batch
    if (step + 1) % accumulation_steps == 0:
        optimizer.step()                          # with the sum of so many means
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from autograd_lint.facts.body import path_of
from autograd_lint.facts.option_defaults import option_defaults
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_CALLED = re.compile(r"accum|micro_?(?:batch|step)|grad_?acc|virtual_?batch|iter_size", re.I)
_SUMS = re.compile(r"reduction\s*=\s*[\"']sum|\.backward\([^)]+\)")


@query
def undivided_window(source: Source) -> str | None:
    """What a file calls the length of its window of accumulated batches, where nothing is divided
    by it that backward begins at; None where there is no such window, or losses are sums.

    A window of which the file does not speak otherwise, or that has one batch by default, is none:
    whoever configures a longer one is not seen.
    """
    names = [] if _SUMS.search(source.text) else [*filter(_is_told(source), _windows(source))]
    divided = set(_divided(source)) if names else set()
    return next((name for name in names if name not in divided), None)


def _windows(source: Source) -> Iterator[str]:
    """The names that a counter is divided by, to see whether a window ends."""
    for node in source.each(ast.BinOp):
        name = path_of(node.right).rpartition(".")[2]
        if isinstance(node.op, ast.Mod) and _CALLED.search(name):
            yield name


def _is_told(source: Source) -> Callable[[str], bool]:
    """Whether a file says how long a window is that it calls by a name: not that it is one batch
    by default, nor nothing but that somebody else knows."""
    options = option_defaults(source)
    bound = {one.id for one in source.each(ast.Name) if isinstance(one.ctx, ast.Store)}
    bound |= {one.arg for one in source.each(ast.arg)} | options.keys()
    bound |= {one.attr for one in source.each(ast.Attribute) if isinstance(one.ctx, ast.Store)}
    short = {name for name, default in options.items() if default.value in (None, 1)}
    return lambda name: name in bound - short


def _divided(source: Source) -> Iterator[str]:
    """The names that values are divided by, or multiplied with, other than numbers for the log."""
    for node in source.each(ast.BinOp):
        if isinstance(node.op, (ast.Div, ast.Mult, ast.FloorDiv)) and not _is_log(source, node):
            yield from _names(node.left) if isinstance(node.op, ast.Mult) else ()
            yield from _names(node.right)
    for changed in source.each(ast.AugAssign):
        if isinstance(changed.op, (ast.Div, ast.Mult)):
            yield from _names(changed.value)
    for call in source.each(ast.Call):
        if path_of(call.func).rpartition(".")[2] in ("div", "div_", "mul", "mul_"):
            yield from (name for one in call.args for name in _names(one))


def _is_log(source: Source, node: ast.BinOp) -> bool:
    """Whether a number is computed, or a value that backward has begun at above."""
    parts = [part.attr for part in ast.walk(node.left) if isinstance(part, ast.Attribute)]
    if "item" in parts or (isinstance(node.left, ast.Call) and path_of(node.left.func) == "len"):
        return True
    name = path_of(node.left)
    return any(name and node.lineno - 1 == row for row in _rows_of_backward(source, name))


def _rows_of_backward(source: Source, name: str) -> Iterator[int]:
    for call in source.each(ast.Call):
        if path_of(call.func) == f"{name}.backward":
            yield call.lineno


def _names(node: ast.expr) -> set[str]:
    """The last names of the variables and attributes of an expression."""
    parts = ast.walk(node)
    return {path_of(part).rpartition(".")[2] for part in parts if isinstance(part, ast.expr)} - {""}
