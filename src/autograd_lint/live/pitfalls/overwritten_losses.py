"""Losses that a loop computes one after the other under one name: backward has the last one.

for weight, output in zip(weights, outputs):
    total = weight * loss(output, target)
total.backward()

The run tells that the earlier ones get no backward, the text that the name is bound anew.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.naming import statement_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import sequence_number
from autograd_lint.live.sites import Site
from autograd_lint.live.source import tree_of

_AGAIN = 2  # backwards that leave out what was computed where their root was


class OverwrittenLosses(Family):
    """Counts the nodes that are made where a root was made, from one backward to the next."""

    __slots__ = ("_made", "_operators", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._operators: dict[Site, str] = {}  # by which roots were made at places
        self._made: dict[Site, list[int]] = {}  # the numbers of nodes since the latest backward
        self._times: Counter[Site] = Counter()

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: what was made where its root was made?"""
        made, self._made = self._made, {}
        roots = graph.roots_of(walk.roots)
        if not walk.accumulates or len(roots) != 1 or walk.roots[0].dim():
            return
        birth = birth_of(roots[0], self._told.record)
        site = birth.site if birth is not None else None
        if birth is None or site is None:
            return
        if site not in self._operators:
            self._operators[site] = birth.operator
            self._told.record.tell_of((birth.operator,), self._used)
            return
        earlier = set(made.get(site, ())) - {graph.sequence_of(roots[0])}
        if earlier and earlier.isdisjoint(walk.numbers):
            self._times[site] += 1
            if self._times[site] == _AGAIN and _rebinds(site):
                built = Created(place_of(site), birth.operator)
                place = place_of(walk.site)
                self._told.tell(Pitfall.LAST_ITERATION_ONLY, place, tensor=_name(site), built=built)

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator is about to run: where roots are made?"""
        if site is not None and self._operators.get(site) == operator:
            self._made.setdefault(site, []).append(sequence_number() - 1)


def _name(site: Site) -> str | None:
    statement = statement_at(site.place)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else None


def _rebinds(site: Site) -> bool:
    """Whether a statement binds a name anew in each iteration of a loop that does not read it."""
    name, tree, row = _name(site), tree_of(site.filename), site.place.row
    nodes = ast.walk(tree) if tree is not None and name is not None else ()
    loops = (one for one in nodes if isinstance(one, ast.For))
    around = [one for one in loops if one.lineno < row <= (one.end_lineno or 0)]
    loop = max(around, key=lambda one: one.lineno, default=None)
    if loop is None:
        return False
    used = [one for one in ast.walk(loop) if isinstance(one, ast.Name)]
    is_read = any(one.id == name and isinstance(one.ctx, ast.Load) for one in used)
    return not is_read and not _carries(loop)


def _carries(loop: ast.For) -> bool:
    """Whether an iteration reads what the one before has bound."""
    bound, read = set[str](), set[str]()
    for statement in loop.body:
        names = [one for one in ast.walk(statement) if isinstance(one, ast.Name)]
        read |= {one.id for one in names if isinstance(one.ctx, ast.Load)} - bound
        bound |= {one.id for one in names if isinstance(one.ctx, ast.Store)}
        if isinstance(statement, ast.AugAssign):
            return True
    return not read.isdisjoint(bound)
