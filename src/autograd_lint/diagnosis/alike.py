"""Candidates that are alike, where no traceback tells them apart.

The same statement in several files is one candidate that names the others. Of several statements of
one function each further one counts less, so that the first candidates are of different functions.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from autograd_lint.diagnosis.ranking import Candidate, Ranked, told
from autograd_lint.findings import Related
from autograd_lint.project.query import query
from autograd_lint.project.reading import UNREADABLE
from autograd_lint.project.source import Source

_FIRST = 200  # candidates that are compared, the likeliest ones
_OTHERS = 4  # other places of a statement that are named
_FURTHER = 0.5  # what each further statement of a function counts
_SHORT = 12  # characters: a statement of fewer says little (`x += 1`)

Read = Callable[[Path], Source | None]


def spread(found: Ranked, read: Read) -> Ranked:
    """The candidates with those that are alike joined, and of different functions first."""
    first, rest = found.candidates[:_FIRST], found.candidates[_FIRST:]
    candidates = [*_weighed(_joined(first, read), read), *rest]
    candidates.sort(key=lambda one: -one.weight)
    return replace(found, candidates=told(candidates))


def _joined(candidates: Iterable[Candidate], read: Read) -> list[Candidate]:
    """Each statement once; one that stands in other files, too, names them."""
    leaders: dict[tuple[str, str], int] = {}
    joined: list[Candidate] = []
    for one in candidates:
        code = _statement(one, read)
        key = (one.finding.code, code)
        at = leaders.get(key) if len(code) >= _SHORT else None
        if at is None or not _can_name(joined[at], one):
            leaders[key] = len(joined)
            joined.append(one)
        else:
            joined[at] = _naming(joined[at], one)
    return joined


def _can_name(leader: Candidate, other: Candidate) -> bool:
    """Whether another file's statement can be named by a candidate, which names few."""
    alike = [one for one in leader.finding.related if one.role == "alike"]
    files = {_file(leader), *(one.place.filename for one in alike)}
    return len(alike) < _OTHERS and _file(other) not in files


def _naming(leader: Candidate, other: Candidate) -> Candidate:
    same = Related("alike", "the same statement", other.finding.place)
    finding = leader.finding
    return replace(leader, finding=replace(finding, related=(*finding.related, same)))


def _weighed(candidates: Iterable[Candidate], read: Read) -> list[Candidate]:
    """The candidates, each weighed by how many of its function come before it."""
    before: Counter[tuple[str, int]] = Counter()
    found = []
    for one in candidates:
        function = (_file(one), _function(one, read))
        found.append(replace(one, weight=one.weight * _FURTHER ** before[function]))
        before[function] += 1
    return found


def _statement(one: Candidate, read: Read) -> str:
    place = one.finding.place
    source = read(Path(place.filename))
    return "" if source is None else " ".join(source.text_of(place.row, place.end_row).split())


def _function(one: Candidate, read: Read) -> int:
    """The row at which the innermost function around a candidate begins; 0 outside of any."""
    place = one.finding.place
    source = read(Path(place.filename))
    if source is None:
        return 0
    try:
        return max((a for a, end in _functions(source) if a <= place.row <= end), default=0)
    except UNREADABLE:
        return 0


@query
def _functions(source: Source) -> tuple[tuple[int, int], ...]:
    """The first and last rows of the functions of a file."""
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = (node for node in ast.walk(source.tree) if isinstance(node, nodes))
    return tuple((node.lineno, node.end_lineno or node.lineno) for node in found)


def _file(one: Candidate) -> str:
    return one.finding.place.filename
