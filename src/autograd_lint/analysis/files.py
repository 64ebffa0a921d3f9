"""The whole analysis of one file: gate, runs along several paths, faults."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field, replace
from functools import partial

from autograd_lint.analysis import budgets, merging
from autograd_lint.analysis.analysed import Analysed
from autograd_lint.analysis.consequences import without_consequences
from autograd_lint.analysis.coverage import Seen
from autograd_lint.analysis.directed_exploration import Covered, Goal, joined
from autograd_lint.analysis.directed_exploration import goals as goals_of
from autograd_lint.analysis.entries import not_yet_run, recorded_entries, run_with, tests_of
from autograd_lint.analysis.import_cache import Kept
from autograd_lint.analysis.known_path import KnownPath
from autograd_lint.analysis.room_for_frames import with_room_for_frames
from autograd_lint.analysis.run_cache import Explored, Remembering
from autograd_lint.analysis.runs import Differs, Harness, Runs
from autograd_lint.checkers.alone import faults_of
from autograd_lint.engine.faults import Fault, FaultKind, places
from autograd_lint.evidence.observed_arguments import ObservedCalls
from autograd_lint.facts import relevance
from autograd_lint.facts.callers import Owner, outermost_name
from autograd_lint.facts.files_of_tests import is_test_class
from autograd_lint.facts.global_names import set_by_functions
from autograd_lint.facts.relevance import is_worth_running, outside_is_plain, suspects
from autograd_lint.facts.runner_entries import runner_entries
from autograd_lint.facts.triggers import triggers
from autograd_lint.facts.users_of_imports import users_of_imports
from autograd_lint.libraries.models import MODELS
from autograd_lint.libraries.torch.functions.custom_functions import is_custom_function
from autograd_lint.observed.calls import Call
from autograd_lint.operators.table import load
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.scenarios.harnesses import (
    run_class,
    run_custom_function,
    run_function,
    run_method,
)
from autograd_lint.scenarios.objects import make_object
from autograd_lint.scenarios.recorded_calls import run_recorded
from autograd_lint.scenarios.runner import run_test
from autograd_lint.scenarios.unseen_optimizers import optimizer_made
from autograd_lint.vm.budget import always
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.imports import run_module_body, settled
from autograd_lint.vm.language import PYTHON
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.names import Names
from autograd_lint.vm.paths import Path
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import Class, CodeReads, Function, Lazy, Module, Unknown, Value
from autograd_lint.vm.world import Memory, World


def analyse(
    source: Source,
    project: Project | None = None,
    wanted: Callable[[], bool] = always,
    kept: Kept | None = None,
) -> list[Fault]:
    """The faults that the runs over a file show; takes and raises what `analysed` does."""
    found = analysed(source, project or Project.alone(), wanted=wanted, kept=kept)
    return merging.distinct(found.faults)


def analysed(
    source: Source,
    project: Project,
    most: int | None = None,
    coverage: bool = False,
    wanted: Callable[[], bool] = always,
    kept: Kept | None = None,
    known: KnownPath | None = None,
    within: int | None = None,
) -> Analysed:
    """What the runs over a file show.

    After `most` steps no definition is begun any more. `wanted` is asked before every run. `kept`
    is what earlier analyses of the same file keep of its imports, and this one for the next.
    `known` says where the program is known to have been, `coverage` that what the runs reach is
    wanted, `within` how many steps all runs may take, instead of what the file is worth. Raises
    SyntaxError, ValueError or RecursionError where the text cannot be parsed, Dropped where the
    result is not wanted any more.
    """
    alone = _shown_by_statements(source, project) if "torch" in source.text else []
    questions = is_worth_running, runner_entries, users_of_imports
    if not any(one(source, project) for one in questions):
        return Analysed(alone)
    remembers = kept is not None
    analysis = _Analysis(
        source, project, wanted, kept or Kept(), remembers, most=most, within=within
    )
    if coverage:
        analysis.runs.seen = Seen()
    if known is not None:
        files = (source if name == source.filename else project.file(name) for name in known.rows)
        for one in filter(None, files):
            analysis.world.passed.update(known.decisions(one))
    try:
        faults, runs = with_room_for_frames(analysis.run), analysis.runs
        plain = [one for one in alone if not analysis.has_judged(one, faults)]
        spots = {(one.kind, one.place) for one in plain}
        others = (one for one in faults if (one.kind, one.place) not in spots)
        told = [*plain, *others]
        asked = None if remembers else frozenset(analysis.world.table.asked)
        return Analysed(told, runs.steps, analysis.left_out, runs.seen, runs.broken, asked)
    finally:
        analysis.forget()


def _shown_by_statements(source: Source, project: Project) -> list[Fault]:
    """The faults that statements of a file show without a run, in the light of the project."""
    found = faults_of(source, project)
    if not found:
        return []
    # The signals are some fifty files, which wait for the first fault.
    from autograd_lint.evidence.reconsidering import shown_by_statements

    return [shown_by_statements(one, source, project) for one in found]


@dataclass
class _Analysis:
    source: Source
    project: Project
    wanted: Callable[[], bool]
    kept: Kept
    remembers: bool
    listener: ObservedCalls | None = None
    most: int | None = None
    within: int | None = None
    remembering: Remembering | None = None
    world: World = field(init=False)
    modules: dict[str, Module] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    entered: set[ast.AST] = field(default_factory=set)
    covered: Covered = field(default_factory=Covered)
    reached: set[Place | None] = field(default_factory=set)
    runs: Runs = field(init=False)
    faults: list[Fault] = field(default_factory=list)
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = Names if self.remembers else dict
        code_reads = CodeReads() if self.remembers else None
        self.world = World(
            self.source,
            self.project,
            load(self.project.target).afresh(),
            PYTHON,
            MODELS,
            relevance,
            make_object,
            optimizer_made,
            names=names,
            memory=Memory(code_reads=code_reads),
            listener=self.listener,
            # What is kept for the next analysis must not be left in the midst of a run.
            wanted=always if self.remembers else self.wanted,
        )
        budget = budgets.of_file(self.source, self.within)
        self.runs = Runs(self.world, self.wanted, budget, self.most)

    def run(self) -> list[Fault]:
        tree = self.source.tree
        self.kept.begin(self.world)
        self._explore_module(tree)
        begun: set[str] = set()
        waiting = deque(suspects(self.source))
        for name, calls in recorded_entries(self.source, self.project):
            self._explore_recorded(name, calls)
        for name, value in self._entries():
            if self._is_over():
                self.left_out = self._not_begun(begun)
                break
            begun.add(name)
            self.runs.kept_back = self._kept_back(waiting, begun)
            self._explore_value(name, value)
        for goals in joined(goals_of(self.source, suspects(self.source), self.covered)):
            if self._is_over():
                break
            self._explore_goals(goals)
        if self.remembering is not None:
            self.kept.memories = self.remembering.found
        found = without_consequences(merging.foremost(self.faults))
        return [fault for fault in found if self._is_told(fault)]

    def has_judged(self, alone: Fault, faults: Iterable[Fault]) -> bool:
        """Whether runs know more of what the text tells: they have shown it among their `faults`,
        assuming no more, or have come to what would be an error and is none."""
        same = [one for one in faults if one.kind is alone.kind and merging.tells_same(one, alone)]
        if same:
            return any(one.weight <= alone.weight for one in same)
        return isinstance(alone.kind, FaultKind) and alone.place in self.reached

    def _not_begun(self, begun: Set[str]) -> tuple[str, ...]:
        """The definitions that the budget left out: not those of a run that was to be short."""
        names = dict.fromkeys(suspects(self.source))
        return tuple(name for name in names if self._is_left(name, begun))

    def _kept_back(self, waiting: deque[str], begun: Set[str]) -> int:
        """The steps that other paths leave to the definitions that are `waiting`, from which those
        that a run has begun are taken as they come first."""
        while waiting and not self._is_left(waiting[0], begun):
            waiting.popleft()
        return budgets.kept_back(self.runs.budget) if waiting else 0

    def _is_left(self, name: str, begun: Set[str]) -> bool:
        """Whether no run has begun a definition, nor was to be short."""
        value = self.scope.names.get(name)
        entered = isinstance(value, Function) and value.node in self.entered
        return self.most is None and name not in begun and not entered

    def _is_over(self) -> bool:
        """Whether no other definition is to be run."""
        return self.runs.steps > self.runs.budget or (
            self.most is not None and self.runs.steps >= self.most
        )

    def forget(self) -> None:
        """Let go of the programs' names: with the functions bound to them they form cycles."""
        if self.remembers:
            self.kept.end(self.modules, self.world)
        for filename, module in self.modules.items():
            if not self.remembers or filename == self.source.filename:
                module.scope.names.clear()

    def _is_told(self, fault: Fault) -> bool:
        """Whether a fault lies in the project; what lies in other packages alone is theirs."""
        told = [place.filename for place in places(fault) if place is not None]
        own = self.source.filename in told or not told
        return own or any(map(self.project.owns, told))

    def _explore_module(self, tree: ast.Module) -> None:
        """Run the module body; its names are what the harnesses then work with."""

        def harness(interp: Interpreter) -> None:
            scope = Scope(names=self.world.names())
            scope.names["__name__"] = "__main__"
            own = Module(self.source, scope)
            interp.modules = {**self.kept.modules(), self.source.filename: own}
            interp.whole = True
            interp.frames = [Frame(scope, self.source)]
            run_module_body(interp, tree.body)

        plain = outside_is_plain(self.source)
        budget = budgets.of_module_body(self.source, self.within)
        differs = self.runs.hangs if plain else self.runs.may_differ
        first, explored = self.runs.explore(harness, budget, differs)
        known = len(self.faults)
        self._add(explored, budget)
        self._reconsider(known, 0, whole=True)
        self.modules = first.modules
        if first.modules:
            self.scope = first.modules[self.source.filename].scope
            self._fill_in()
            if self.remembers:
                self._remember()

    def _fill_in(self) -> None:
        """What is None until a function sets it, who calls the others has had set."""
        for name in set_by_functions(self.source):
            if self.scope.names.get(name, name) is None:
                self.scope.names[name] = Unknown(name)

    def _enter(self, interp: Interpreter) -> None:
        """Begin a run inside of the module, whose body has been run."""
        interp.modules = self.modules
        interp.frames = [Frame(self.scope, self.source)]

    def _remember(self) -> None:
        def settle(scope: Scope, name: str) -> None:
            self._settle(scope, name)

        kept = self.kept
        self.remembering = Remembering(
            self.world, self.modules, kept.memories, kept.holds, kept.unchanged, settle
        )

    def _explore_value(self, name: str, value: Value) -> None:
        if isinstance(value, Class) and is_test_class(value.node):
            self._explore_tests(name, value, tests_of(value))
            return

        def harness(interp: Interpreter) -> None:
            self._enter(interp)
            if isinstance(value, Class) and is_custom_function(value):
                run_custom_function(interp, value)
            elif isinstance(value, Class):
                run_class(interp, value, self.entered)
            elif isinstance(value, Function):
                run_function(interp, value)

        budget = budgets.of_harness(value)
        what = (name, budget, frozenset(self.entered.intersection(run_with(value))))
        # What a custom Function does with its `ctx` shows in no text.
        own = isinstance(value, Class) and is_custom_function(value)
        differs = self.runs.decides if own else self.runs.may_differ
        self._explore_harness(name, what, harness, budget, differs)

    def _explore_harness(
        self, name: str, what: object, harness: Harness, budget: int, differs: Differs
    ) -> None:
        known, begun = len(self.faults), self.runs.steps
        explored = self._again(
            name, what, lambda: self.runs.explore(harness, budget, differs)[1], budget
        )
        self._add(explored, budget)
        self._reconsider(known, begun)

    def _explore_tests(self, name: str, cls: Class, tests: Iterable[Function]) -> None:
        """Run the tests of a class as a runner does: nothing that one does concerns the others."""
        for test in tests:
            if self._is_over():
                return
            budget = budgets.of_harness(test)
            harness = partial(self._run_test, cls, test)
            what = (name, test.name, budget)
            self._explore_harness(name, what, harness, budget, self.runs.may_differ)

    def _explore_recorded(self, name: str, calls: Iterable[Call]) -> None:
        """Run a function as it was called in recorded runs. What other callers give is not known
        from that: it is run by a harness as well."""
        head, _, method = name.partition(".")
        owner = self._named(head)
        found = owner.attributes.get(method) if isinstance(owner, Class) else owner
        if not isinstance(owner, (Class, Function)) or not isinstance(found, Function):
            return
        budget = budgets.of_harness(found)
        for call in calls:
            if self._is_over():
                return
            harness = partial(self._run_recorded, owner, found, call)
            known, begun = len(self.faults), self.runs.steps
            outcomes = self.runs.explore(harness, budget, self.runs.may_differ)[1].outcomes
            self.faults.extend(merging.merge(outcomes))
            self._reconsider(known, begun)

    def _run_recorded(
        self, owner: Class | Function, function: Function, call: Call, interp: Interpreter
    ) -> None:
        self._enter(interp)
        run_recorded(interp, owner, function, call)

    def _run_test(self, cls: Class, test: Function, interp: Interpreter) -> None:
        self._enter(interp)
        run_test(interp, cls, test)

    def _explore_goals(self, goals: list[Goal]) -> None:
        """Run once more, on a way that leads by statements which no run has reached."""
        start = goals[0].start
        name = start.owner or start.name
        owner = self._named(name)
        method = owner.attributes.get(start.name) if isinstance(owner, Class) else owner
        if not isinstance(method, Function):
            return

        def harness(interp: Interpreter) -> None:
            self._enter(interp)
            if isinstance(owner, Class) and is_custom_function(owner):
                run_custom_function(interp, owner)
            elif isinstance(owner, Class) and is_test_class(owner.node):
                run_test(interp, owner, method)
            elif isinstance(owner, Class):
                run_method(interp, owner, method)
            else:
                run_function(interp, method, any_name=True)

        sides = {node: side for goal in goals for node, side in goal.sides.items()}
        budget = budgets.of_directed_run(method)
        what = (start, frozenset(sides.items()))
        begun = self.runs.steps
        explored = self._again(
            name, what, lambda: self.runs.directed(sides, harness, budget), budget
        )
        rows = {row for goal in goals for row in goal.rows}
        known = len(self.faults)
        self.faults.extend(
            merging.of_directed_run(explored.outcomes[0], self.source.filename, rows)
        )
        self._reconsider(known, begun)

    def _reconsider(self, known: int, begun: int, *, whole: bool = False) -> None:
        """See what a run has found since, begun at that step, in the light of the project; `whole`
        says that it was one of the program itself."""
        if self.listener is not None or len(self.faults) == known:
            return
        # The signals are some fifty files, which wait for the first fault.
        from autograd_lint.evidence.reconsidering import reconsidered

        found = (replace(one, steps=begun + one.steps) for one in self.faults[known:])
        self.faults[known:] = [
            reconsidered(one, self.source, self.project, self._observe, whole=whole)
            for one in found
        ]

    def _observe(self, caller: Owner, observed: ObservedCalls) -> None:
        """Run a function or class of some file for another analysis, which listens."""
        other = _Analysis(caller.source, self.project, self.wanted, Kept(), False, observed)
        other.kept.begin(other.world)
        other._explore_module(caller.source.tree)
        name = outermost_name(caller)
        other._explore_value(name, other._named(name))
        self.world.table.asked |= other.world.table.asked
        other.forget()

    def _again(
        self, name: str, what: object, explore: Callable[[], Explored], budget: int
    ) -> Explored:
        """What came of exploring the definition of that name, now or when it was the same."""
        memory, room = self.remembering, self.runs.budget - self.runs.kept_back
        if memory is None or self.runs.steps + budget > room:
            return explore()
        found = memory.recall(what)
        if found is not None:
            self.runs.steps += found.steps
            return found
        memory.begin(name)
        found = explore()
        memory.keep(what, found)
        return found

    def _add(self, explored: Explored, budget: int) -> None:
        """Keep what was found, and what was reached."""
        for run in explored.outcomes:
            self.entered |= run.entered
            self.reached |= run.reached
            # What was found on the negated path alone is looked for again, by its own conditions.
            rare = run.negated_path and bool(run.faults)
            if not (run.raised or run.gave_up or run.steps > budget or rare):
                self.covered.functions |= run.entered
                self.covered.sides |= run.sides
        self.faults.extend(merging.merge(explored.outcomes, untried=explored.untried))

    def _entries(self) -> Iterator[tuple[str, Class | Function]]:
        """What is to be run by a harness: what no run has come to, then modules made of layers that
        the file imports, and tests of what it imports, within budgets of their own."""
        yield from not_yet_run(self.source, self._named, self.entered)
        yield from self._users_of_imports()
        begun = self.runs.steps
        for name in runner_entries(self.source, self.project):
            if self.runs.steps - begun > budgets.TESTS:
                return
            value = self._named(name)
            if isinstance(value, (Class, Function)):
                yield name, value

    def _users_of_imports(self) -> Iterator[tuple[str, Class]]:
        """The modules that use what may go wrong in another file."""
        begun = self.runs.steps
        for name, used in users_of_imports(self.source, self.project).items():
            if self.runs.steps - begun > budgets.USERS:
                return
            value = self._named(name)
            if isinstance(value, Class) and any(self._may_go_wrong(one) for one in sorted(used)):
                yield name, value

    def _may_go_wrong(self, name: str) -> bool:
        """Whether a class or function is imported by a name in which something writes or walks."""
        value = self._named(name)
        if not isinstance(value, (Class, Function)) or not self.project.owns(value.source.filename):
            return False
        return triggers(value.source).acts_within(value.node)

    def _named(self, name: str) -> Value:
        """What a name of the module is bound to, computed now if nothing has asked for it."""
        if type(self.scope.names.get(name)) is Lazy:
            self.runs.steps += self._settle(self.scope, name)
        return self.scope.names.get(name)

    def _settle(self, scope: Scope, name: str) -> int:
        """Compute what a name is bound to; the steps that it took."""

        def harness(interp: Interpreter) -> None:
            self._enter(interp)
            settled(interp, scope, name)

        before = self.runs.steps
        self.runs.along(Path(), harness, budgets.HARNESS)
        taken, self.runs.steps = self.runs.steps - before, before
        return taken
