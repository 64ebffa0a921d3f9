"""Which weights follow which: copies of parameters, and what is written to them by the program.

It tells of no pitfall itself; several checkers read it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import (
    DataSet,
    DataSetBack,
    Detached,
    OperatorRun,
    StateLoaded,
    TensorCopied,
)
from autograd_lint.libraries.torch.training.running import in_optimizer
from autograd_lint.places import Place
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import IterationBegun, LoopCutShort
from autograd_lint.vm.frames import Frame, call_place
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items

SCALING = {"mul_", "div_"}
ADDING = {"add_", "sub_"}
WRITING = SCALING | ADDING | {"copy_", "lerp_"}
SUMMING = {"add", "radd", "lerp"}
COMPUTING = {"add", "radd", "sub", "rsub", "mul", "rmul", "div", "lerp", "clone", "to"}
FOLLOWED = WRITING | COMPUTING
# What the rate of an average or of a target network is called.
RATES = frozenset({"tau", "polyak", "decay", "ema_decay", "ema_rate", "target_tau", "soft_tau"})


@immutable
class Written:
    """Weights were written with values of `others`, all of them by their memory.

    `blended` says that their own values are part of it, `partial` that it was done in a loop that
    may go through more than is known, `called_at` is the call of the function that did it.
    """

    others: frozenset[int]
    blended: bool
    partial: bool
    place: Place
    called_at: Place | None
    source: Source
    unread: str | None


@dataclass(slots=True, eq=False, repr=False)
class WeightAverages(Listener):
    """The parameters that were copied, with the memory of what each was made of first, and what was
    written to each of these since; all by memory.

    `derived` are the memories that a value was computed from, by its identity, `scaled` the weights
    that were scaled before anything is added; `held` keeps alive what an identity stands for.
    `alone` are the weights that were blended with nothing but themselves, `doubled` the sums of two
    values of one and the same weight, `earlier` what was computed from copies, which may be of
    another time.
    `first` says under which memory a parameter was known first, `partial` are the rows of loops
    over what is not known altogether, `unfinished` those of loops that were cut short.
    """

    origins: dict[int, int] = field(default_factory=dict)
    tensors: dict[int, Tensor] = field(default_factory=dict)
    writes: dict[int, list[Written]] = field(default_factory=dict)
    derived: dict[int, frozenset[int]] = field(default_factory=dict)
    scaled: set[int] = field(default_factory=set)
    held: list[Tensor] = field(default_factory=list)
    alone: dict[int, Written] = field(default_factory=dict)
    doubled: set[int] = field(default_factory=set)
    earlier: set[int] = field(default_factory=set)
    first: dict[int, int] = field(default_factory=dict)
    partial: list[Place] = field(default_factory=list)
    unfinished: list[Place] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TensorCopied, cls.copied)
        to.add(cls, StateLoaded, cls.state_loaded)
        to.add(cls, Detached, cls.detached)
        to.add(cls, IterationBegun, cls.iteration_begun)
        to.add(cls, LoopCutShort, cls.loop_cut_short)
        to.add(cls, OperatorRun, cls.operator_run, only=FOLLOWED.__contains__)
        to.add(cls, DataSet, cls.data_set)
        to.add(cls, DataSetBack, cls.set_back)

    def memory(self, tensor: Tensor) -> int:
        """The memory under which a parameter is known here."""
        own = tensor.storage.memory
        return self.first.get(own, own)

    def iteration_begun(self, interp: Interpreter, event: IterationBegun) -> None:
        """A loop begins: over all that there is?"""
        known = isinstance(event.sequence, Items) and event.sequence.rest is None
        if event.loop is not None and not known and not _steps(event.loop):
            self.partial.append(interp.place(event.loop))

    def loop_cut_short(self, interp: Interpreter, event: LoopCutShort) -> None:
        """A loop is left early: what it would have written further on is not known."""
        if not _steps(event.loop):
            self.unfinished.append(interp.place(event.loop))

    @property
    def leaves_rest(self) -> bool:
        """Whether weights are written in a loop that was left early."""
        return any(
            _holds(loop, one.place)
            for loop in self.unfinished
            for written in self.writes.values()
            for one in written
        )

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """`weight.data` or `weight.detach()`: another name for its memory."""
        if event.source.parameter:
            self.tensors[self.memory(event.source)] = event.source

    def copied(self, interp: Interpreter, event: TensorCopied) -> None:
        """A parameter was made, or filled, from another one."""
        copy, original = self.memory(event.copy), self.memory(event.original)
        if copy == original or not event.copy.parameter:
            return
        for key, tensor in ((copy, event.copy), (original, event.original)):
            self.tensors.setdefault(key, tensor)
        self._begun(copy, original)

    def state_loaded(self, interp: Interpreter, event: StateLoaded) -> None:
        """A parameter has been given a state: that of another one?"""
        copy, original = self.memory(event.parameter), self.memory(event.state)
        if copy != original and original in self.tensors:
            self._filled(interp, copy, original, interp.place(event.node))

    def _begun(self, copy: int, original: int) -> None:
        """Weights begin with the values of others, if they did not begin otherwise."""
        if copy not in self.origins and self.origins.get(original) != copy:
            self.origins[copy] = original

    def _filled(self, interp: Interpreter, copy: int, original: int, place: Place) -> None:
        """Weights have the values of others now: after a step that is no beginning."""
        self._begun(copy, original)
        if interp.state(TrainingRecord).steps:
            self._write(interp, copy, frozenset({original}), place, blended=False)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run on weights, or on what was computed from them, without a graph of any
        leaf: a rate that is not known has none."""
        name, given = event.operation.operator, event.operation.tensors()
        if not (any(one.parameter for one in given) or self._known(given)):
            return
        if any(one.node is not None and any(leaves_of([one.node])) for one in event.results):
            return
        for one in given:
            if one.parameter:
                self.tensors[self.memory(one)] = one
        known = self._known(given)
        if not known or in_optimizer(interp):
            return
        if name in COMPUTING:
            self._computed(name, given, event.results)
            return
        own = self.memory(given[0])
        if own in self.tensors:
            self._written(interp, own, given[1:], name, event.node)

    def _computed(self, name: str, given: Sequence[Tensor], results: Sequence[Tensor]) -> None:
        """Values were computed from weights, or from what was computed from them."""
        known = self._known(given)
        for result in results:
            self.derived[id(result)] = known
            self.held.append(result)
        if name == "clone" or any(id(one) in self.earlier for one in given):
            self.earlier.update(map(id, results))
            return
        both = len(given) > 1 and all(self._known([one]) for one in given)
        if name in SUMMING and len(known) == 1 and both:
            self.doubled.update(map(id, results))

    def data_set(self, interp: Interpreter, event: DataSet) -> None:
        """`weight.data = value`: the weight is elsewhere from now on."""
        known = self._known([event.value])
        before = next((key for key, one in self.tensors.items() if one is event.tensor), None)
        if before is not None and known:
            self._leave(before)
            self.first[event.value.storage.memory] = before
            self.held.append(event.value)
            self._write(interp, before, known, event.place, blended=before in known)

    def set_back(self, interp: Interpreter, event: DataSetBack) -> None:
        """`weight.data = kept`: the weight is where it was first."""
        self._leave(event.tensor.storage.memory)

    def _leave(self, weight: int) -> None:
        """A weight is no longer where it was: others may keep that, as an average swapped in."""
        self.first = {memory: key for memory, key in self.first.items() if key != weight}

    def _known(self, tensors: Iterable[Tensor]) -> frozenset[int]:
        """The weights that values were computed from."""
        found: set[int] = set()
        for one in tensors:
            own = self.memory(one)
            found |= {own} if own in self.tensors else self.derived.get(id(one), frozenset())
        return frozenset(found)

    def _written(
        self, interp: Interpreter, own: int, values: list[Tensor], name: str, node: ast.AST
    ) -> None:
        """A method has written weights in place, with values or without."""
        others = self._known(values)
        if name in SCALING:
            self.scaled.add(own)
            return
        scaled = own in self.scaled
        self.scaled.discard(own)
        blends = name == "lerp_" or (name in ADDING and scaled)
        now = self.earlier.isdisjoint(map(id, values))
        if others == {own} and now and (blends or any(id(one) in self.doubled for one in values)):
            self.alone[own] = self._written_at(interp, others, interp.place(node))
        if own in others or blends:
            self._write(interp, own, others, interp.place(node), blended=True)
        elif name == "copy_" and len(others) == 1:
            self._filled(interp, own, next(iter(others)), interp.place(node))

    def _write(
        self,
        interp: Interpreter,
        own: int,
        others: frozenset[int],
        place: Place,
        *,
        blended: bool,
    ) -> None:
        others -= {own}
        if not others:
            return
        written = self._written_at(interp, others, place, blended=blended)
        self.writes.setdefault(own, []).append(written)

    def _written_at(
        self, interp: Interpreter, others: frozenset[int], place: Place, *, blended: bool = True
    ) -> Written:
        frame = interp.frame
        partial = any(_holds(loop, place) for loop in self.partial)
        called_at = call_place(interp.frames)
        return Written(others, blended, partial, place, called_at, frame.source, _unread(frame))


def _unread(frame: Frame) -> str | None:
    """A parameter of a function that is a fraction, and that its code does not read."""
    node = frame.function.node if frame.function is not None else None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    values = ((one.arg, frame.scope.names.get(one.arg)) for one in arguments)
    fractions = [name for name, value in values if isinstance(value, float) and 0 < value < 1]
    read = {part.id for part in walk(node) if isinstance(part, ast.Name)} if fractions else set()
    return next((name for name in fractions if name not in read), _unread_attribute(frame))


def _unread_attribute(frame: Frame) -> str | None:
    """A rate that the object of a method was made with, and that its file does not read."""
    owner = frame.receiver
    rates = owner.attributes.keys() & RATES if isinstance(owner, Instance) else frozenset()
    attributes = frame.source.each(ast.Attribute) if rates else ()
    read = {one.attr for one in attributes if isinstance(one.ctx, ast.Load)}
    return next((f"self.{name}" for name in sorted(rates) if name not in read), None)


@query
def _steps(loop: ast.AST) -> bool:
    """Whether a loop trains: each iteration is a step, and goes through all weights."""
    return any(isinstance(one, ast.Attribute) and one.attr == "step" for one in walk(loop))


def _holds(loop: Place, place: Place) -> bool:
    return loop.filename == place.filename and loop.row <= place.row <= loop.end_row
