"""The interpreter's state: one run of a program along one path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.machine import Engine
from autograd_lint.places import Place
from autograd_lint.project.code import spelt
from autograd_lint.project.source import Source
from autograd_lint.vm.budget import Budget, BudgetExceeded
from autograd_lint.vm.choices import Choices
from autograd_lint.vm.frames import Frame, handed, left_by, outside_models
from autograd_lint.vm.listening import NOBODY, Listeners, States
from autograd_lint.vm.models import Models
from autograd_lint.vm.record import OpaqueBackward, Record
from autograd_lint.vm.scope import MISSING
from autograd_lint.vm.undo import UndoLog
from autograd_lint.vm.values import (
    CodeReads,
    Items,
    Mapping,
    Module,
    Value,
)
from autograd_lint.vm.world import World

if TYPE_CHECKING:
    from autograd_lint.vm.events import Event

T = TypeVar("T")
K = TypeVar("K")


@dataclass(eq=False)
class Interpreter:
    """Walks a program and drives the engine: one run.

    `whole` says that it is a run of the module itself, `expecting` counts the enclosing constructs
    that would catch what has no implementation, `modules` are those that were imported, by their
    files. `listeners` are told what happens, `states` is what others than the interpreter remember
    of the run.
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
    models: Models = field(init=False)

    def __post_init__(self) -> None:
        self.engine.caller = self._caller
        self.models = self.world.models

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression."""
        return self.world.language.expressions[type(node)](self, node)

    def run_block(self, body: list[ast.stmt]) -> None:
        """Execute statements in order."""
        self.world.language.run_block(self, body)

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

    def replaces(self, names: MutableMapping[K, Value], name: K) -> None:
        """A name of a module, or an attribute of a class, is going to be bound anew."""
        if not self.importing:
            self.undo.binds(names, name)

    def changes(self, container: Items | Mapping) -> None:
        """Something is going to be put into a container, or taken out of it."""
        if not self.importing:
            self.undo.fills(container)

    def emit(self, event: Event, name: str = "") -> None:
        """Tell those who listen what has happened; `name` is that of an operator that has run, or
        of the class of a layer that was called."""
        states = self.states
        for listener, method, waits in self.listeners.named[type(event), name]:
            state = states.get(listener)
            if state is None:
                if waits:
                    continue
                state = states[listener]
            method(state, self, event)

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
        self.frames = []
        self.engine.unobserved()

    def state(self, kind: type[T]) -> T:
        """What this run remembers under a class, made when it is asked for first."""
        found = self.states[kind]
        assert isinstance(found, kind)
        return found

    def place(self, node: ast.AST) -> Place:
        """Where a node of the file being run stands; for a model of a library the call of it."""
        frame = self.frames[-1]
        if frame.source.stands_for:
            frame, node = outside_models(self.frames, node)
        return self.place_in(frame, node)

    def place_in(self, frame: Frame, node: ast.AST) -> Place:
        """Where a node of the code stands that one of the frames runs."""
        places = self.world.memory.places
        found = places.get(node)
        if found is None:
            found = places[node] = frame.source.place(node)
        if frame.source is not self.world.source:
            self.record.led_to[found] = self._led_by(frame)
        return found

    def text(self, node: ast.AST) -> str:
        """The code of a node, on one line and not too long."""
        return spelt(node)

    def doing(self, node: ast.AST, values: Sequence[Value]) -> Place:
        """Where something is done to values: where a helper in another file was given them by the
        file that is analysed, else where `node` stands."""
        frame, _ = outside_models(self.frames, node)
        if frame.source is not self.world.source:
            given = handed(self.frames, values)
            if given is not None and given.filename == self.world.source.filename:
                return given
        return self.place(node)

    def asked_by(self) -> ast.Call | None:
        """The innermost call in the file that is analysed by which other files' code runs."""
        node = left_by(self.frames, self.world.source)
        return node if isinstance(node, ast.Call) else None

    def _led_by(self, frame: Frame) -> ast.AST | None:
        """What leads from the file that is analysed to a frame of another file, looked for once."""
        if frame.entry is None:
            node = left_by(self.frames, self.world.source)
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

    @property
    def harness_call(self) -> Frame | None:
        """The call that a harness has made, in which the program is now; None of the module."""
        return None if self.whole or len(self.frames) < 2 else self.frames[1]

    @property
    def opaque_backward(self) -> bool:
        """Whether any backward went through unknown code."""
        return self.state(OpaqueBackward).last > 0

    @property
    def opaque_beyond_callers(self) -> bool:
        """Whether any did through other unknown code than what the callers have computed."""
        return self.state(OpaqueBackward).beyond_callers

    def led_astray(self, *, beyond_callers: bool = True) -> None:
        """A backward went through unknown code: it may have got to any parameter."""
        state = self.state(OpaqueBackward)
        state.last = self.engine.tick()
        state.beyond_callers = state.beyond_callers or beyond_callers

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
