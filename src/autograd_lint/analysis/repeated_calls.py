"""Calls made again: what a function saved of its arguments, the same function may write next time.

A reference model that sees the batch after the trained one, a loss of the real and then of the
fake: where the function that is called again writes in place, the second call is worth a run.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence

from autograd_lint.facts.triggers import Triggers

Def = ast.FunctionDef | ast.AsyncFunctionDef


def called_again(
    functions: Sequence[Def], found: Triggers, writes: Mapping[Def, frozenset[int]]
) -> dict[int, frozenset[int]]:
    """The rows on which a function calls another one more than once, each with what that writes.

    `functions` are those of one file, `writes` the rows on which each of them writes in place.
    """
    writers = _writers(functions, found, writes)
    rows: dict[int, frozenset[int]] = {}
    for function in functions:
        calls = found.called_on(function)
        often = Counter(name for _, name in calls)
        for row, name in calls:
            if often[name] > 1 and name in writers:
                rows[row] = rows.get(row, frozenset()) | writers[name]
    return rows


def _writers(
    functions: Sequence[Def], found: Triggers, writes: Mapping[Def, frozenset[int]]
) -> dict[str, frozenset[int]]:
    """The rows on which functions write, by their names, or let another one do it for them."""
    own: dict[str, frozenset[int]] = {}
    for function in functions:
        rows = writes.get(function)
        if rows:
            own[function.name] = own.get(function.name, frozenset()) | rows
    writers = dict(own)
    for function in functions:
        for name in own.keys() & found.called(function):
            writers[function.name] = writers.get(function.name, frozenset()) | own[name]
    return writers
