"""Two names for one memory: what was to be kept as it is, and is overwritten by the other name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.libraries.torch.events import (
    ArgumentOverwritten,
    Detached,
    GradientRead,
    OperatorRun,
    ParameterMoved,
)
from autograd_lint.libraries.torch.operators.kinds import JOINING
from autograd_lint.places import Place
from autograd_lint.vm.contents import elements
from autograd_lint.vm.events import NameBound, ValueAssigned
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Value

ARGUMENT = "argument"
MOST = 8  # aliases of one memory that are kept in mind
# What is zero where its input is negative, and what changes nothing but negative values.
RECTIFIED = {"relu", "relu_", "ReLU", "relu6", "ReLU6"}
RECTIFYING = {"relu", "ReLU", "leaky_relu", "LeakyReLU", "elu", "ELU", "celu", "CELU"}
BLENDING = {"add_", "lerp_", "copy_"}  # by which a kept value is averaged with a new one, or set
WANTED = frozenset({Assumption(Kind.WANTED_BY_CALLER, weight=0)})


def _memory(storage: Storage) -> int:
    """What is the same for all storages that stand for one memory."""
    return id(storage.twins[0] if storage.twins else storage)


@dataclass(slots=True, eq=False, repr=False)
class Alias:
    """A tensor on memory that is written under another name.

    `made` is where it came to share the memory, and how. `plain` says that nothing but the wish to
    keep values explains it: it was taken from the middle of a graph, or belongs to a caller.
    `overwritten` is the first write by another name, `seen` how many writes there were by then.
    `source` is what it was taken from.
    """

    tensor: Tensor
    made: Created
    plain: bool
    overwritten: Modified | None = None
    seen: int = 0
    source: Tensor | None = None

    @property
    def part(self) -> Tensor | None:
        """The view that it was taken from, where it shares but a part of the memory."""
        return self.source if self.source is not None and self.source.is_view else None


@dataclass(slots=True, eq=False, repr=False)
class Aliases(Checker):
    """What shares memory: all by memory, those overwritten by tensor.

    `originals` are those of tensors with a graph that were overwritten through what was taken of
    them, by tensor. `gradient` is the `.grad` that was read last.
    """

    known: dict[int, list[Alias]] = field(default_factory=dict)
    stale: dict[int, Alias] = field(default_factory=dict)
    originals: dict[int, Alias] = field(default_factory=dict)
    gradient: Tensor | None = None

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, Detached, cls.detached)
        to.add(cls, OperatorRun, cls.operator_run)
        to.add(cls, ParameterMoved, cls.parameter_moved)
        to.add(cls, ArgumentOverwritten, cls.argument_overwritten)
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, NameBound, cls.value_assigned)
        to.add(cls, ValueAssigned, cls.value_assigned)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run, and may have written in place."""
        blended = event.operation.operator in BLENDING and self._blended(interp, event.operation)
        if self.stale and not blended:
            self._used(interp, event.operation, event.results)
        if self.originals:
            self._originals_used(interp, event.operation)
        if event.operation.form.modifies:
            self._wrote_all(event.operation)

    def _blended(self, interp: Interpreter, operation: Operation) -> bool:
        """A tensor is averaged with another one, or takes its values: with itself, where both have
        shared memory since before it was overwritten?"""
        written, found = operation.arguments.get("0"), False
        known = self.known.get(_memory(written.storage)) if isinstance(written, Tensor) else None
        for alias in known or ():
            event, own = alias.overwritten, alias.tensor is written and alias.part is None
            if own and event is not None and _compared(alias, operation.tensors()):
                _note(interp, alias, event, operation.place)
                found = True
        return found

    def parameter_moved(self, interp: Interpreter, event: ParameterMoved) -> None:
        """An optimizer has written a parameter."""
        self._wrote(event.tensor, event.event)

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """`alias` was taken from `source` without its graph (`detach()`, `.data`)."""
        source, alias = event.source, event.alias
        node = source.node
        plain = node is not None and not (node.opaque and not node.edges)
        known = self.known.setdefault(_memory(alias.storage), [])
        known.append(Alias(alias, event.made, plain, source=source))
        del known[:-MOST]

    def _wrote(self, tensor: Tensor, event: Modified) -> None:
        """The memory of `tensor` was written: what shares it is no longer what it was."""
        known = self.known.get(_memory(tensor.storage)) or []
        part = next((alias.part for alias in known if alias.tensor is tensor), None)
        self._wrote_through(known, tensor, event)
        line = list(_line(known, tensor))
        for alias in known:
            own = any(one is alias.tensor for one in line)
            # Two parts of one memory need not overlap.
            apart = part is not None and alias.part is not None and part is not alias.part
            if own:
                self.stale.pop(id(alias.tensor), None)
            elif alias.overwritten is None and not apart:
                alias.overwritten = event
                self.stale[id(alias.tensor)] = alias

    def _wrote_through(self, known: list[Alias], tensor: Tensor, event: Modified) -> None:
        """A tensor was written: what it was taken of, with a graph, is no longer what it was."""
        written = [one for one in (tensor, tensor.base) if one is not None]
        for alias in known:
            if alias.source is None or alias.source.requires_grad is None:
                continue
            if any(one is alias.tensor for one in written):
                self.originals[id(alias.source)] = replace(alias, overwritten=event)
            elif any(one is alias.source for one in written):
                self.originals.pop(id(alias.source), None)

    def _originals_used(self, interp: Interpreter, operation: Operation) -> None:
        """An operator was given a tensor that was overwritten through what was taken of it: also
        what was taken, as if the two could differ?"""
        tensors = operation.tensors()
        for tensor in tensors:
            alias = self.originals.get(id(tensor))
            if alias is None or alias.source is not tensor or alias.overwritten is None:
                continue
            if any(other is alias.tensor for other in tensors):
                note(
                    interp,
                    Pitfall.ALIAS_FOR_COPY,
                    alias.overwritten.place,
                    tensor=tensor.name,
                    operator=alias.made.operator,
                    built=alias.made,
                    modified=alias.overwritten,
                    needed=Needed(operation.place, "use"),
                )

    def _wrote_all(self, operation: Operation) -> None:
        """An operator has written in place."""
        for tensor in operation.written if self.known else ():
            if tensor.storage.writes:
                self._wrote(tensor, tensor.storage.writes[-1].event)

    def argument_overwritten(self, interp: Interpreter, event: ArgumentOverwritten) -> None:
        """A chain of layers has written what it was given."""
        self.overwritten(event.tensor, event.event, event.result)

    def overwritten(self, tensor: Tensor, event: Modified, result: Value) -> None:
        """What was called with `tensor` has written it and returns something else."""
        results = elements(result)
        if any(value is tensor for value in results) or event.place is None:
            return
        made = Created(event.place, ARGUMENT)
        self.stale[id(tensor)] = Alias(tensor, made, True, event)

    def value_assigned(self, interp: Interpreter, event: NameBound | ValueAssigned) -> None:
        """A name is given to a value: to the gradient that was just read?"""
        if self.gradient is None:
            return
        value = event.value
        last = value.items[-1] if isinstance(value, Items) and value.items else value
        gradient, self.gradient = self.gradient, None
        if last is not gradient or gradient is None:
            return
        for tensor in elements(value):
            if isinstance(tensor, Tensor) and tensor.made is not None:
                seen = len(tensor.storage.writes)
                self.stale[id(tensor)] = Alias(tensor, tensor.made, True, None, seen)

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """`.grad` is read: whoever asks anew wants what is in it now."""
        gradient = event.tensor.grad
        if gradient is None:
            return
        self.gradient = gradient
        self.stale.pop(id(gradient), None)

    def _used(self, interp: Interpreter, operation: Operation, results: list[Tensor]) -> None:
        """An operator was given something that was overwritten by another name."""
        stale = self.stale
        tensors = operation.tensors()
        for tensor in tensors:
            alias = stale.get(id(tensor))
            if alias is None or alias.tensor is not tensor:
                continue
            if any(tensor is target for target in operation.at("out")):
                del stale[id(tensor)]  # it is written without being read
                continue
            written = tensor in operation.written
            if alias.made.operator != ARGUMENT and written:
                del stale[id(tensor)]
                continue
            event = alias.overwritten or _accumulated(alias)
            if alias.made.operator == ARGUMENT and _is_all_the_same(alias, operation):
                if written:
                    del stale[id(tensor)]
            elif alias.made.operator == ARGUMENT and operation.operator in JOINING:
                stale.update({id(result): replace(alias, tensor=result) for result in results})
            elif event is not None and (alias.plain or _compared(alias, tensors)):
                _note(interp, alias, event, operation.place)


def _line(known: list[Alias], tensor: Tensor) -> Iterator[Tensor]:
    """A tensor, the base that it is a view of, what they were taken from, and so on."""
    stack: list[Tensor | None] = [tensor]
    while stack:
        one = stack.pop()
        if one is not None:
            yield one
            stack += [
                one.base,
                *(
                    alias.source
                    for alias in known
                    if alias.tensor is one and alias.source is not one
                ),
            ]


def _is_all_the_same(alias: Alias, operation: Operation) -> bool:
    """Whether an operator makes the same of a tensor as of what it was before it was written."""
    written = alias.overwritten is not None and alias.overwritten.operator in RECTIFYING
    return written and operation.operator in RECTIFIED


def _accumulated(alias: Alias) -> Modified | None:
    """The backward that added to a gradient since it was given a name, if nothing cleared it."""
    writes = alias.tensor.storage.writes[alias.seen :]
    added = writes and all(write.event.operator == "backward" for write in writes)
    return writes[0].event if added else None


def _compared(alias: Alias, tensors: list[Tensor]) -> bool:
    """Whether an alias meets what it was taken from, as if the two could differ."""
    memory = _memory(alias.tensor.storage)
    others = [t for t in tensors if t is not alias.tensor and t.base is not alias.tensor]
    return any(_memory(other.storage) == memory for other in others)


def _note(interp: Interpreter, alias: Alias, event: Modified, place: Place | None) -> None:
    argument = alias.made.operator == ARGUMENT
    note(
        interp,
        Pitfall.ARGUMENT_OVERWRITTEN if argument else Pitfall.SNAPSHOT_OVERWRITTEN,
        event.place,
        tensor=alias.tensor.name,
        operator=event.operator if argument else alias.made.operator,
        built=None if argument else alias.made,
        modified=event,
        needed=Needed(place, "use"),
        assumptions=WANTED if argument else frozenset(),
    )
