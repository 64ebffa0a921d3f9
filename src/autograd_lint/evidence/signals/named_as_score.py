"""What must have a graph to be kept with it is called by a name that programs give to counts.

loss, acc = model(batch)        # `model` is not known
accs.append(acc)                # told: part 1 of what it gives requires grad

Accuracies and the like compare classes, and comparisons have no derivative.
"""

from __future__ import annotations

import re

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal

_WORDS = frozenset(
    (
        *("acc", "accs", "accuracies", "accuracy", "correct", "corrects", "hits"),
        *("prec", "precision", "precisions", "recall", "recalls"),
    )
)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# What a statement begins with, and is given first: `accs.append(acc)`, `meter.update(acc, len(x))`.
_KEPT = re.compile(r"\s*([\w.]+(?:\(\w+)?)")
_SUPPOSED = {Kind.REQUIRES_GRAD, Kind.HAS_REQUIRING_PARAMETERS}


def _speaks(case: Case) -> bool:
    fault, place = case.fault, case.fault.place
    if fault.kind is not Pitfall.GRAPH_KEPT or place is None:
        return False
    if place.filename != case.source.filename:
        return False
    kept = _KEPT.match(case.source.lines[place.row - 1])
    named = {part.lower() for part in _PARTS.findall(kept[1] if kept else "")}
    supposed = any(why.kind in _SUPPOSED for why in fault.assumptions)
    return supposed and not _WORDS.isdisjoint(named)


SIGNAL = Signal("named-as-score", _speaks, Kind.SCORE_HAS_GRAPH)
