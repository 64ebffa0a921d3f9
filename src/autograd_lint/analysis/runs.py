"""Runs of a harness: the first one, those along other paths, and what came of all of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autograd_lint.analysis.coverage import Seen
from autograd_lint.analysis.outcomes import Outcome
from autograd_lint.analysis.run_cache import Explored
from autograd_lint.analysis.search import Search
from autograd_lint.checkers import registry
from autograd_lint.engine.machine import EngineError
from autograd_lint.errors import Dropped
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.scenarios.closures import run_closures
from autograd_lint.vm.budget import ELSEWHERE, Budget, BudgetExceeded
from autograd_lint.vm.choices import Choices
from autograd_lint.vm.control import Control, ProgramRaises, PythonRaises
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Decision, Path, alternatives
from autograd_lint.vm.world import World

TURNS = 3  # other turns taken where a run ends in an exception
PATHS = 4  # decisions that are flipped one by one
LONG = 1_500  # steps of a run after which only what no run has done yet is worth another one

Harness = Callable[[Interpreter], None]
Differs = Callable[[Interpreter], bool]
"""Whether other paths than that of a run may show something else."""


@dataclass
class Runs:
    """All runs over one file: `steps` counts what they have taken of the file's `budget`, `seen` is
    what they have reached, where that is wanted. `broken` says that Python itself has ended one.

    `wanted` is asked before every run. After `most` steps no path is sought any more. So many steps
    as are `kept_back` are left to definitions that no run has begun: other paths do not take them.
    """

    world: World
    wanted: Callable[[], bool]
    budget: int
    most: int | None = None
    steps: int = 0
    seen: Seen | None = None
    broken: bool = False
    kept_back: int = 0

    def along(self, path: Path, harness: Harness, budget: int) -> Interpreter:
        """One run along a path; raises Dropped where the result is not wanted any more."""
        if not self.wanted():
            raise Dropped
        interp = Interpreter(self.world, Choices(path), Budget(budget, self.world.wanted))
        registry.attach(interp, coverage=self.seen is not None)
        try:
            harness(interp)
            run_closures(interp)
            registry.end(interp)
        except EngineError:
            interp.record.ended_by_error = True
        except ProgramRaises as raised:
            interp.record.raised = True
            self.broken = self.broken or isinstance(raised, PythonRaises)
        except (BudgetExceeded, Control, RecursionError):
            pass
        if not interp.whole or path.negated or path.decision_prefix:
            interp.undo.put_back()
        self.steps += interp.budget.steps
        if self.seen is not None:
            self.seen.add(interp)
        interp.let_go()
        return interp

    def explore(
        self, harness: Harness, budget: int, differs: Differs
    ) -> tuple[Interpreter, Explored]:
        """Run a harness along several paths; the first run, and what came of all of them.

        Other paths are tried where they may show something else: the first run `differs` from them.
        All of them together may take as many steps as one run.
        """
        before = self.steps
        first = self._completed(harness, budget)
        runs, untried = [first], False
        limit = min(self.budget - self.kept_back, self.steps + budget)
        if differs(first):
            for path in alternatives(first.choices.path, PATHS):
                if not path.negated and _shows_nothing_new(path, runs):
                    continue
                untried = first.budget.steps > budget or self.steps > limit
                if untried:
                    break
                runs.append(self.along(path, harness, budget))
        outcomes = [Outcome.of(run) for run in runs]
        search = Search(
            lambda path: self.along(path, harness, budget),
            lambda: self._goes_on(limit),
            self._is_told,
        )
        for run in () if untried else search.runs(runs):
            begun = self.steps - run.budget.steps - before
            outcomes.append(Outcome.of(run, begun))
        return first, Explored(outcomes, untried, self.steps - before)

    def decides(self, run: Interpreter) -> bool:
        """Whether a run has decided anything."""
        return bool(run.choices.path.decisions)

    def hangs(self, run: Interpreter) -> bool:
        """Whether a fault was found, which may hang on any decision, or may hang on a decision of
        the file."""
        return bool(run.engine.faults or run.choices.path.fault_relevant)

    def may_differ(self, run: Interpreter) -> bool:
        """Whether a fault may hang on any decision, those of other files among them."""
        return run.choices.path.elsewhere or self.hangs(run)

    def _goes_on(self, limit: int) -> bool:
        """Whether there are steps left for a run on a path that is sought."""
        return self.steps < limit and (self.most is None or self.steps < self.most)

    def _is_told(self, source: Source) -> bool:
        """Whether what a run shows from now on in a file is told there."""
        return source is self.world.source or bool(source.stands_for) or self.steps < ELSEWHERE

    def directed(self, sides: Mapping[ast.AST, bool], harness: Harness, budget: int) -> Explored:
        """One run that takes these sides of conditions, and what came of it."""
        run = self.along(Path(wanted_sides=dict(sides)), harness, budget)
        return Explored([Outcome.of(run)], steps=run.budget.steps)

    def _completed(self, harness: Harness, budget: int) -> Interpreter:
        """The first run; one that ends in an exception of the program takes another turn there."""
        run = self.along(Path(), harness, budget)
        for _ in range(TURNS):
            taken = run.choices.path.taken
            if not run.record.raised or not taken:
                break
            turned = Path(decision_prefix=(*taken[:-1], not taken[-1]))
            run = self.along(turned, harness, budget)
        return run


def _shows_nothing_new(path: Path, runs: Sequence[Interpreter]) -> bool:
    """Whether no run has found a fault so far, the first one and that on the negated path among
    them, and to flip a decision of the first one promises none: it would be the negated path again,
    or decides on nothing else; or a run takes long, and one of the others was on that side."""
    if any(run.engine.faults for run in runs):
        return False
    first, position = runs[0].choices.path, len(path.decision_prefix) - 1
    tried = {_side(one) for run in runs[1:] for one in run.choices.path.decisions}
    if runs[0].budget.steps > LONG and _side(first.decisions[position], other=True) in tried:
        return True
    asked = [[_side(one)[:2] for one in run.choices.path.decisions] for run in runs[:2]]
    again = all(len(conditions) == 1 for conditions in asked) and asked[0] == asked[1]
    return again or position not in first.acting


def _side(decision: Decision, *, other: bool = False) -> tuple[Place, str, bool]:
    """The side of a condition that was taken at a decision, or the other one."""
    return decision.place, decision.condition, decision.taken is not other
