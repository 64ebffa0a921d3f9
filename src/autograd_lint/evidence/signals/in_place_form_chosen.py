"""Code is there twice: once in place, and once as it is for what needs a graph.

if self.training:
    x = x * mask
else:
    x *= mask       # the condition tells when nobody needs the graph

Or whoever calls it has to ask for the form that writes:

def forward(self, x, inplace_safe=False):
    update = self.norm(x)
    if inplace_safe:
        x.copy_(update)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from copy import deepcopy

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.evidence.default_conditions import off_by_default
from autograd_lint.evidence.signals.base import RECORDED, Case, Signal
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_IN_PLACE = re.compile("in_?place", re.IGNORECASE)


def _is_chosen_in_place(fault: Fault, source: Source) -> bool:
    """Whether a write stands on one side of a condition on whose other side the same is done
    without writing: the condition tells when nobody needs the graph."""
    place = fault.modified.place if fault.modified is not None else None
    if place is None or place.filename != source.filename:
        return False
    sides = _all_sides(source)
    return any(_has_twin(body, other, place.row) for body, other in sides)


def _speaks(case: Case) -> bool:
    fault, source = case.fault, case.source
    if fault.kind not in RECORDED or fault.place is not None:
        return False  # where the program itself runs the backward that raises, it needs the graph
    asked = any(_asks_for_it(why, source) for why in fault.assumptions)
    return asked or _is_chosen_in_place(fault, source)


def _asks_for_it(why: Assumption, source: Source) -> bool:
    """Whether a condition only holds for an option of that name, which is off by default."""
    return any(_IN_PLACE.search(name) for _, name in off_by_default(why, source))


@query
def _all_sides(source: Source) -> list[tuple[list[ast.stmt], list[ast.stmt]]]:
    return [pair for node in ast.walk(source.tree) for pair in _sides(node)]


def _has_twin(body: list[ast.stmt], other: list[ast.stmt], row: int) -> bool:
    """Whether a statement at a row of one side writes what the other side does without it."""
    if not body or not body[0].lineno <= row <= (body[-1].end_lineno or row):
        return False
    there = [one for one in _simple(body) if one.lineno <= row <= (one.end_lineno or row)]
    written = {_plainly(one) for one in there if _writes(one)}
    return any(_plainly(one) in written for one in _simple(other) if not _writes(one))


def _sides(node: ast.AST) -> Iterator[tuple[list[ast.stmt], list[ast.stmt]]]:
    """The sides of the conditions of a block, each with the other; what returns goes no further."""
    for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
        statements = block if isinstance(block, list) else []
        for position, part in enumerate(statements):
            if isinstance(part, ast.If):
                returns = isinstance(part.body[-1], ast.Return)
                other = part.orelse or (statements[position + 1 :] if returns else [])
                yield part.body, other
                yield other, part.body


def _simple(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The simple statements of a block, those of functions in it as well."""
    for part in block:
        inner = [one for one in ast.walk(part) if isinstance(one, ast.stmt)]
        yield from (one for one in inner if not isinstance(one, (Definition, ast.If, ast.For)))


def _writes(statement: ast.stmt) -> bool:
    return _plainly(statement) != ast.unparse(statement)


def _plainly(statement: ast.stmt) -> str:
    """A statement as it were if it wrote nothing in place."""
    plain = deepcopy(statement)
    for node in ast.walk(plain):
        if isinstance(node, ast.Attribute) and node.attr.endswith("_") and node.attr[:1] != "_":
            node.attr = node.attr.rstrip("_")
    if isinstance(plain, ast.AugAssign):
        value = ast.BinOp(_read(plain.target), plain.op, plain.value)
        return ast.unparse(ast.Assign([plain.target], value, lineno=plain.lineno))
    return ast.unparse(plain)


def _read(target: ast.expr) -> ast.expr:
    read = deepcopy(target)
    for node in ast.walk(read):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            node.ctx = ast.Load()
    return read


SIGNAL = Signal("in-place-form-chosen", _speaks, Kind.CHOSEN_IN_PLACE)
