"""The interpreter's state: one run of a program along one path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NoReturn, TypeVar

from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.machine import Engine
from autograd_lint.places import Place
from autograd_lint.project.code import on_one_line, spelt
from autograd_lint.project.source import Source
from autograd_lint.vm.budget import Budget, BudgetExceeded
from autograd_lint.vm.choices import Choices
from autograd_lint.vm.listening import NOBODY, Listeners, States
from autograd_lint.vm.models import Models
from autograd_lint.vm.record import OpaqueBackward, Record
from autograd_lint.vm.scope import MISSING, Missing, Scope
from autograd_lint.vm.undo import UndoLog
from autograd_lint.vm.values import (
    PERIODIC,
    CodeReads,
    Function,
    Items,
    Mapping,
    Module,
    Unknown,
    Value,
)
from autograd_lint.vm.world import World

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call
    from autograd_lint.vm.events import Event

T = TypeVar("T")
K = TypeVar("K")

MAX_DEPTH = 24  # calls of the program's own functions inside each other
MAX_RECURSION = 3  # of one and the same function


@dataclass(slots=True, eq=False)
class Frame:
    """One activation: a module body, a class body, a function call or the `inner` one of a
    comprehension.

    `call` is the call that is carried out, `resume` what runs while a context manager is suspended
    at its `yield`. `entry` is what led to it from the file that is analysed, once that is known;
    MISSING where nothing did. `switched` is the grad mode that a `with` of its own has set, `leaks`
    a `yield` inside of it, `branch` the `if` whose condition is being asked, `firm` that the
    program ends on one side of it where something is not given. `told` is what comparisons come to
    in this round, `mark` what the graph knows the activation by when it is long over.
    """

    scope: Scope
    source: Source
    function: Function | None = None
    receiver: Value = None
    yielded: Items | None = None
    branch: ast.If | None = None
    firm: bool = False
    told: dict[ast.AST, bool] = field(default_factory=dict)
    switched: Created | None = None
    leaks: Created | None = None
    resume: Callable[[Value], None] | None = None
    entry: ast.AST | Missing | None = None
    inner: bool = False
    call: Call | None = None
    mark: object | None = field(default_factory=object)


@dataclass(eq=False)
class Interpreter:
    """Walks a program and drives the engine: one run.

    `whole` says that it is a run of the module itself, `expecting` counts the enclosing constructs
    that would catch what has no implementation, `modules` are those that were imported, by their
    files. `listeners` are told what happens, `states` is what others than the interpreter remember
    of the run. `evaluate` and `run_block` are the language for this run.
    """

    world: World
    choices: Choices
    budget: Budget
    record: Record = field(default_factory=Record)
    undo: UndoLog = field(default_factory=UndoLog)
    engine: Engine = field(default_factory=Engine)
    frames: list[Frame] = field(default_factory=list)
    modules: dict[str, Module] = field(default_factory=dict)
    expecting: int = 0
    whole: bool = False
    listeners: Listeners = NOBODY
    states: States = field(default_factory=States)
    evaluate: Callable[[ast.expr], Value] = field(init=False)
    run_block: Callable[[list[ast.stmt]], None] = field(init=False)
    models: Models = field(init=False)

    def __post_init__(self) -> None:
        self.engine.caller = self._caller
        language = self.world.language
        self.evaluate = partial(language.evaluate, self)
        self.run_block = partial(language.run_block, self)
        self.models = self.world.models

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def source(self) -> Source:
        return self.frames[-1].source

    @property
    def called_by_nobody(self) -> str | None:
        """The function that runs although nothing in the file calls it: who does is not known."""
        if self.whole:
            return None
        return next((frame.function.name for frame in self.frames if frame.function), None)

    @property
    def importing(self) -> bool:
        """Whether names of an imported file are being computed."""
        own = self.world.source
        return any(frame.function is None and frame.source is not own for frame in self.frames)

    def memoized(self, name: str, node: ast.AST, find: Callable[[ast.AST], bool]) -> bool:
        """Something that depends on a node, and on what this analysis sees, asked once."""
        memos = self.world.memory.nodes
        found = memos.get((name, node))
        if found is None:
            found = memos[name, node] = find(node)
        return found

    def query(self, source: Source, find: Callable[[Source], T]) -> T:
        """What `find` finds in the whole text of a file."""
        answer = find(source)
        if source is self.world.source:
            self.world.memory.queries[find] = answer
        return answer

    @property
    def code_reads(self) -> CodeReads | None:
        """What takes note of who reads the code of the file that is analysed, where that runs."""
        return self.world.memory.code_reads if self.source is self.world.source else None

    def replaces(self, names: dict[K, Value], name: K) -> None:
        """A name of a module, or an attribute of a class, is going to be bound anew."""
        if not self.importing:
            self.undo.binds(names, name)

    def changes(self, container: Items | Mapping) -> None:
        """Something is going to be put into a container, or taken out of it."""
        if not self.importing:
            self.undo.fills(container)

    def emit(self, event: Event, name: str = "") -> None:
        """Tell those who listen what has happened; `name` is that of an operator."""
        states = self.states
        for listener, method, _, waits in self.listeners.hearers(type(event), name):
            if not waits or listener in states:
                method(states[listener], self, event)

    @contextmanager
    def unheard(self) -> Iterator[None]:
        """Run as on a trial: nobody hears of it, and nothing of it is remembered."""
        outside = self.listeners, self.states
        self.listeners, self.states = NOBODY, States()
        try:
            yield
        finally:
            self.listeners, self.states = outside

    def let_go(self) -> None:
        """The run is over: forget what refers back to it.

        Else its memory would stay until the garbage collector comes by, which has to look for it.
        """
        self.evaluate = self.run_block = _over
        self.frames = []
        self.engine.unobserved()

    def state(self, kind: type[T]) -> T:
        """What this run remembers under a class, made when it is asked for first."""
        found = self.states[kind]
        assert isinstance(found, kind)
        return found

    def place(self, node: ast.AST) -> Place:
        """Where a node of the file being run stands; for a model of a library the call of it."""
        places, (frame, node) = self.world.memory.places, self._outside_models(node)
        found = places.get(node)
        if found is None:
            found = places[node] = frame.source.place(node)
        if frame.source is not self.world.source:
            self.record.led_to[found] = self._led_by(frame)
        return found

    def called_at(self) -> Place | None:
        """Where the function that runs was called; None where no code of a file has called it."""
        caller, frame = self.frames[-2:] if len(self.frames) > 1 else (None, self.frames[-1])
        if caller is None or frame.call is None or not caller.source.holds(frame.call.node):
            return None
        return caller.source.place(frame.call.node)

    def _outside_models(self, node: ast.AST) -> tuple[Frame, ast.AST]:
        """The innermost frame of code that is no model of a library, with the node that is run in
        it: the call of the model where `node` stands in one."""
        last, called = self.frames[-1], node
        if not last.source.stands_for:
            return last, node
        for frame in reversed(self.frames):
            if not frame.source.stands_for:
                return (frame, called) if frame.source.holds(called) else (last, node)
            if frame.call is not None:
                called = frame.call.node
        return last, node

    def text(self, node: ast.AST) -> str:
        """The code of a node, on one line and not too long."""
        return spelt(node)

    def decide(
        self,
        unknown: Unknown,
        node: ast.AST,
        usual: bool = True,
        *,
        negated: bool = False,
        measured: bool = False,
    ) -> bool:
        """Which way to go on an unknown condition; the same condition goes the same way.

        `negated` says that `node` spells out the contrary of the condition, `measured` that the
        values of a tensor decide.
        """
        if unknown.negates is not None:
            original = unknown.negates
            other = self.decide(original, node, not usual, negated=not negated, measured=measured)
            return not other
        periodic = PERIODIC in unknown.attributes
        matters = not periodic and self.source is self.world.source and self._matters()
        position = self.choices.truths.get(unknown)
        if position is None:
            asked = self.frame.branch
            given = self.frame.firm and unknown.hint != "bool"
            passed = asked in self.world.passed
            firm = given or passed or asked in self.choices.path.wanted_sides
            usual = usual if firm or unknown.usual is None else unknown.usual
            branch = self.place(asked) if asked is not None else None
            flag = isinstance(node, ast.Call) and unknown.usual is not None
            place, text = self.place(node), unknown.origin if flag else on_one_line(node)
            position = self.choices.path.decide(
                place,
                text,
                usual,
                branch,
                negated=negated,
                seldom=unknown.seldom,
                measured=measured,
                lasting=self.choices.lasts(unknown),
                periodic=periodic,
                passed=passed,
                default=unknown.usual,
                around=self._asked_around(),
            )
            self.choices.truths[unknown] = position
        if self.frame.branch is not None:
            self.choices.path.steer(position, self.frame.branch)
        if matters:
            self.choices.path.fault_relevant.add(position)
            function, trains_in = self.frame.function, self.world.relevance.trains_in
            if function is not None and function.query(trains_in):
                self.choices.path.pressing.add(position)
        return self.choices.path.decisions[position].taken

    def _asked_around(self) -> Place | None:
        """The innermost `if` of a caller whose condition called the function that runs."""
        for frame in self.frames[-2::-1]:
            if frame.branch is not None:
                return frame.source.place(frame.branch)
        return None

    def _matters(self) -> bool:
        """Whether what a fault needs stands in a branch, so that both sides should be tried."""
        branch = self.frame.branch
        if branch is None:
            return False
        return self.memoized("matters", branch, self._leads_to_fault)

    def _leads_to_fault(self, node: ast.AST) -> bool:
        return self.world.relevance.leads_to_fault(self.source, node)

    def doing(self, node: ast.AST, values: Sequence[Value]) -> Place:
        """Where something is done to values: where a helper in another file was given them by the
        file that is analysed, else where `node` stands."""
        frame, _ = self._outside_models(node)
        if frame.source is not self.world.source:
            given = self.handed(values)
            if given is not None and given.filename == self.world.source.filename:
                return given
        return self.place(node)

    def path(self) -> tuple[Place, ...]:
        """The calls of the program that led to what runs, the outermost first."""
        pairs = zip(self.frames, self.frames[1:], strict=False)
        return tuple(
            caller.source.place(frame.call.node)
            for caller, frame in pairs
            if frame.call is not None and caller.source.holds(frame.call.node)
        )

    def asked_by(self) -> ast.Call | None:
        """The innermost call in the file that is analysed by which other files' code runs."""
        node = self._left_by()
        return node if isinstance(node, ast.Call) else None

    def _left_by(self) -> ast.AST | None:
        """What stands in the file that is analysed where other files' code runs, if that runs.

        A method that runs in the midst of a backward is called by no code of the file: the node to
        blame for its call stands where the graph was built.
        """
        own = self.world.source
        if not self.frames or self.source is own:
            return None
        for caller, frame in zip(self.frames[-2::-1], self.frames[:0:-1], strict=False):
            if caller.source is own and frame.call is not None:
                return frame.call.node if own.holds(frame.call.node) else None
        return None

    def _led_by(self, frame: Frame) -> ast.AST | None:
        """What leads from the file that is analysed to a frame of another file, looked for once."""
        if frame.entry is None:
            node = self._left_by()
            frame.entry = node if node is not None and hasattr(node, "lineno") else MISSING
        return frame.entry if isinstance(frame.entry, ast.AST) else None

    def _caller(self, fault: Fault) -> Place | None:
        """The call by which the program came to the code that a fault speaks of first."""
        own = self.world.source
        events = (fault.modified, fault.built, fault.saved, fault.needed)
        places = (fault.place, *(event.place for event in events if event is not None))
        other = (place for place in places if place and place.filename != own.filename)
        node = next((self.record.led_to[one] for one in other if one in self.record.led_to), None)
        return own.place(node) if node is not None else None

    def handed(self, values: Sequence[Value]) -> Place | None:
        """Where the function that runs was given all of these values, the outermost such call."""
        found: Place | None = None
        for caller, frame in zip(self.frames[-2::-1], self.frames[:0:-1], strict=False):
            if frame.inner:
                continue
            call = frame.call
            given = [] if call is None else [*call.args, *call.keywords.values()]
            if not all(any(one is value for value in given) for one in values):
                break
            if call is not None and hasattr(call.node, "lineno"):
                found = caller.source.place(call.node)
        return found

    @property
    def harness_call(self) -> Frame | None:
        """The call that a harness has made, in which the program is now; None of the module."""
        return None if self.whole or len(self.frames) < 2 else self.frames[1]

    @property
    def opaque_backward(self) -> bool:
        """Whether any backward went through unknown code."""
        return self.state(OpaqueBackward).last > 0

    def led_astray(self) -> None:
        """A backward went through unknown code: it may have got to any parameter."""
        self.state(OpaqueBackward).last = self.engine.tick()

    def may_enter(self, function: Function) -> bool:
        """Whether a call may be followed: neither too deep nor too often into itself."""
        if len(self.frames) >= MAX_DEPTH:
            return False
        node, again = function.node, 0
        for frame in self.frames:
            if frame.function is not None and frame.function.node is node and not frame.inner:
                again += 1
        return again < MAX_RECURSION

    @contextmanager
    def activation(self, frame: Frame) -> Iterator[Frame]:
        """Run inside `frame`."""
        self.frames.append(frame)
        try:
            yield frame
        finally:
            self.frames.pop()

    @contextmanager
    def aside(self, budget: int) -> Iterator[None]:
        """Run what is computed once, for whoever asks first.

        It has a path of its own, takes none of the run's steps, and is given up after `budget`.
        """
        outside = self.choices, self.budget, self.record.gave_up
        self.choices, self.budget = self.choices.aside(), Budget(budget, self.budget.wanted)
        try:
            yield
        except BudgetExceeded:
            pass
        finally:
            self.choices, self.budget, self.record.gave_up = outside

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Run where an engine error would be caught: faults found inside are no findings."""
        engine = self.engine
        faults, told = len(engine.faults), len(engine.told)
        engine.catching += 1
        try:
            yield
        finally:
            engine.catching -= 1
            del engine.faults[faults:]
            del engine.told[told:]


def _over(code: object) -> NoReturn:
    """What a run that is over does with code."""
    raise RuntimeError("the run is over")
