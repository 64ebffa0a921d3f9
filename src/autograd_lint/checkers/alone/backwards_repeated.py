"""A backward that stands twice in one block, for the same loss."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Freed, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.facts.training_statements import Does, Training, trained_blocks
from autograd_lint.project.code import spelt
from autograd_lint.project.nodes import binds, walk
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """Two backwards with nothing between them that binds the name of the loss anew, the first of
    which frees the graph."""
    for block, found in trained_blocks(source):
        walks = [(at, one) for at, one in found if one.does is Does.WALKS]
        for (first, one), (second, other) in pairwise(walks):
            bound = any(
                _leads_elsewhere(between, one.about) for between in block[first + 1 : second]
            )
            if one.about == other.about and _frees(one) and not bound:
                place, freed = source.place(other.call), source.place(one.call)
                because = Assumption(Kind.LOSS_SAVES_TENSORS, one.about, weight=0)
                yield Fault(
                    FaultKind.GRAPH_FREED,
                    place,
                    tensor=one.about,
                    operator="backward",
                    freed=Freed(freed, "backward"),
                    needed=Needed(place, "backward"),
                    assumptions=frozenset({because}),
                )


def _frees(one: Training) -> bool:
    """Whether a backward of a plain name, which is a number, frees its graph."""
    given = [*one.call.keywords, *(arg for arg in one.call.args if spelt(arg) != one.about)]
    return one.about.isidentifier() and not given


def _leads_elsewhere(statement: ast.stmt, name: str) -> bool:
    """Whether a statement may bind a name anew, or leave the block."""
    return any(
        isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)) or binds(node, name)
        for node in walk(statement)
    )
