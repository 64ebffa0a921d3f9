"""Values that are gathered over the steps of a training by reference: all are the last ones.

path.append(w.detach().numpy())      # shares the memory of `w`, which each step writes
states.append(model.state_dict())

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.libraries.torch.events import Detached, StepEnded
from autograd_lint.vm.events import ValueAppended
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Mapping, Unknown, Value

MOVING = {"cpu", "to"}


@dataclass(slots=True, eq=False, repr=False)
class Gathered:
    """What a container has got: where, and how often its memory had been written by then."""

    container: Items | Mapping
    made: Created
    writes: int


@dataclass(slots=True, eq=False, repr=False)
class KeptValues(Checker):
    """How the memory of parameters was taken last, and what containers have got of it; `stepped`
    says that an optimizer has written at all."""

    taken: dict[int, tuple[Storage, Created, str | None]] = field(default_factory=dict)
    gathered: dict[tuple[int, int], Gathered] = field(default_factory=dict)
    stepped: bool = False

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, Detached, cls.detached)
        to.add(cls, StepEnded, cls.step_ended)
        to.add(cls, ValueAppended, cls.appended)

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """An alias is taken of a leaf."""
        source = event.source
        if source.node is None and source.requires is not None:
            storage = source.storage.first
            self.taken[id(storage)] = storage, event.made, source.name

    def step_ended(self, interp: Interpreter, event: StepEnded) -> None:
        """An optimizer has written its parameters."""
        self.stepped = True

    def appended(self, interp: Interpreter, event: ValueAppended) -> None:
        """A container gets a value: has it one that was on the same memory before a step?"""
        for storage in _memories(event.value) if self.taken else ():
            known = self.taken.get(id(storage))
            if known is None or known[0] is not storage or _may_copy(event.node):
                continue
            key, (_, made, name) = (id(event.container), id(storage)), known
            got = Gathered(event.container, made, len(storage.writes))
            before = self.gathered.setdefault(key, got)
            later = storage.writes[before.writes :]
            if self.stepped and later and _holds(event.container, storage):
                note(
                    interp,
                    Pitfall.SNAPSHOT_OVERWRITTEN,
                    later[0].event.place,
                    tensor=name,
                    operator=made.operator,
                    built=made,
                    modified=later[0].event,
                    needed=Needed(interp.place(event.node), "use"),
                )


def _may_copy(node: ast.AST) -> bool:
    """Whether a value is moved to the CPU where it is put away: a copy, of what is elsewhere."""
    return any(isinstance(one, ast.Attribute) and one.attr in MOVING for one in ast.walk(node))


def _memories(value: Value) -> Iterator[Storage]:
    """The memory of an array, of a tensor without a graph, or of the first one of a state."""
    if isinstance(value, Mapping) and value.entries:
        yield from _memories(next(iter(value.entries.values())))
    elif isinstance(value, Unknown) and value.memory is not None:
        yield value.memory.first
    elif isinstance(value, Tensor) and value.requires is None and value.node is None:
        yield value.storage.first


def _holds(container: Items | Mapping, storage: Storage) -> bool:
    """Whether a container still has a value on that memory."""
    values = container.items if isinstance(container, Items) else container.entries.values()
    return any(storage is one for value in values for one in _memories(value))
