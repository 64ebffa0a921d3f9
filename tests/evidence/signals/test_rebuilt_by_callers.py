"""Graphs that one method builds and another runs backward through, as callers call the two."""

from pathlib import Path

import pytest

from autograd_lint.engine.events import Created, Freed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.signals.base import Case
from autograd_lint.evidence.signals.rebuilt_by_callers import SIGNAL
from autograd_lint.facts.callers import owner_at
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

ACTOR = """
class Actor:
    def build(self, x):
        self.score = self.net(x).mean()

    def prepare(self, x):
        self.build(x)

    def update(self):
        self.finish()

    def finish(self):
        self.score.backward()
"""
BUILT, NEEDED = 4, 13
CALLER = """
from actor import Actor

def train(loader):
    actor = Actor()
    {before}
    for x in loader:
        {first}
        actor.update()
        {then}
"""


@pytest.mark.parametrize(
    ("calls", "speaks"),
    [
        ({"first": "actor.build(x)"}, True),
        ({"first": "actor.prepare(x)"}, True),
        ({"before": "actor.build(0)"}, False),
        ({"then": "actor.build(x)"}, False),
        ({"first": "other.build(x)"}, False),
    ],
)
def test_a_graph_that_each_caller_builds_anew_before_it_is_needed(
    calls: dict[str, str], speaks: bool, tmp_path: Path
) -> None:
    caller = CALLER.format(**{"before": "pass", "first": "pass", "then": "pass", **calls})
    write_tree(tmp_path, {"actor.py": ACTOR, "train.py": caller})
    assert _speaks(tmp_path) is speaks


def test_one_caller_that_builds_nothing_is_enough(tmp_path: Path) -> None:
    anew = CALLER.format(before="pass", first="actor.build(x)", then="pass")
    stale = "def again(actor):\n    for _ in range(3):\n        actor.update()\n"
    write_tree(tmp_path, {"actor.py": ACTOR, "train.py": anew, "again.py": stale})
    assert not _speaks(tmp_path)


def test_a_method_that_builds_what_it_needs_is_not_asked_for_its_callers(tmp_path: Path) -> None:
    caller = CALLER.format(before="pass", first="actor.build(x)", then="pass")
    write_tree(tmp_path, {"actor.py": ACTOR, "train.py": caller})
    assert not _speaks(tmp_path, built=NEEDED)


def _speaks(root: Path, built: int = BUILT) -> bool:
    file = str(root / "actor.py")
    source, needed = Source(file, ACTOR), Place(file, NEEDED, 8, NEEDED, 29)
    fault = Fault(
        FaultKind.GRAPH_FREED,
        needed,
        built=Created(Place(file, built, 8, built, 40), "mean"),
        freed=Freed(needed, "backward"),
    )
    owner = owner_at(source, NEEDED)
    assert owner is not None
    return SIGNAL.speaks(Case(fault, source, owner, NEEDED, Project([root]), run=_not_run))


def _not_run(*_: object) -> None:
    raise AssertionError("no caller is run")
