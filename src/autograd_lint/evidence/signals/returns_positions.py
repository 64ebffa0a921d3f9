"""A function returns the positions that it has picked: it decodes results, and trains nothing.

def best_path(scores):
    best = scores.argmax(1)     # told: a write to what `gather` saved
    return scores.gather(1, best[:, None]), best
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.facts.body import Body, Bound, body, path_of
from autograd_lint.project.code import code_of

_POSITIONS = ("argmax", "argsort", "nms", "batched_nms")
_VALUES_AND_POSITIONS = ("max", "sort", "topk")


def _speaks(case: Case) -> bool:
    function = case.owner.function
    if function is None or function.name in ("forward", "__call__"):
        return False
    return any(why.called for why in case.fault.assumptions) and _returns_some(body(function))


def _returns_some(function: Body) -> bool:
    """Whether a name that positions are bound to, or written into, is a result by itself."""
    picked = {one.path for one in function.bindings if _holds_positions(one)}
    parts = [part for result in function.results for part in _parts(result)]
    return any(path_of(part) in picked or _picks(part, _POSITIONS) for part in parts)


def _holds_positions(bound: Bound) -> bool:
    second = bound.position == 1 and _picks(bound.value, _VALUES_AND_POSITIONS)
    return bound.path != "" and (second or _picks(bound.value, _POSITIONS))


def _parts(result: ast.expr) -> list[ast.expr]:
    return result.elts if isinstance(result, ast.Tuple) else [result]


def _picks(value: ast.expr, names: tuple[str, ...]) -> bool:
    """Whether a value is what an operator of one of some names gives."""
    return isinstance(value, ast.Call) and code_of(value.func).rpartition(".")[2] in names


SIGNAL = Signal("returns-positions", _speaks, Kind.PICKS_AND_TRAINS, about=name_of)
