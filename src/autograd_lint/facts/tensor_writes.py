"""Where a file writes to tensors, and where it walks graphs."""

from __future__ import annotations

import ast
from bisect import bisect_left

from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.triggers import STORE, Marks
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# What writes to a tensor, walks a graph (or is meant to) or hands a tensor to NumPy; no counters,
# lists, texts or options, and nothing that only sets initial values.
_WRITES = Marks(
    words=(),
    patterns=(
        r"\.(?<!\binit\.)(?<!\.data\.)(?!requires_grad_)[a-z]\w*[a-z0-9]_\(",
        r"=(?<=[-+*/@&|^]=)(?! *(?:\d+ *(?:\n|$)|\[|f?['\"]))",
    ),
    lines=(STORE,),
)
_WALKS = Marks(
    words=("backward(", "autograd.grad(", ".numpy("),
    patterns=(r"\.(?:zero_grad|step|backward) *(?:#|\n|$)",),
    lines=(),
)


@query
def writing_rows(source: Source) -> list[int]:
    """The rows of a file on which a tensor is written, as far as the text tells."""
    return _WRITES.rows(source)


@query
def writes(source: Source, node: Definition | ast.Lambda) -> bool:
    """Whether a definition writes to a tensor."""
    return bool(rows_within(writing_rows(source), node))


@query
def walking_rows(source: Source) -> list[int]:
    """Those on which a graph is walked, or a tensor handed to NumPy."""
    return _WALKS.rows(source)


def rows_within(rows: list[int], node: Definition | ast.Lambda) -> set[int]:
    """Those of some rows, which are in order, that a function stands on."""
    last = node.end_lineno or node.lineno
    return set(rows[bisect_left(rows, node.lineno) : bisect_left(rows, last + 1)])
