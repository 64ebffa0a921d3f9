"""Hooks that are registered once more in each iteration: all of them run.

for epoch in range(epochs):
    model.fc.weight.register_hook(lambda gradient: gradient * 0.5)
    train(model)                       # in the second epoch the gradient is halved twice
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import HookRegistered
from autograd_lint.places import Place
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Method, Value


@immutable
class Registration:
    """A hook on a module or a leaf, by what call of a harness; `before` is how many it had then."""

    event: HookRegistered
    during: Frame | None
    before: int

    def is_repeated_by(self, other: Registration) -> bool:
        """Whether another registration puts the same hook there, and this one is still there."""
        same = self.event.owner is other.event.owner and self.during is other.during
        if self.event.registered is other.event.registered:
            there = other.before > self.before
        else:
            there = any(hook is self.event.hook for hook in self.event.registered)
        return same and there and _is_same(self.event.hook, other.event.hook)


@dataclass(slots=True, eq=False, repr=False)
class RepeatedHooks(Checker):
    """The last registration of a hook at each place, by what it was put on."""

    last: dict[tuple[Place, int], Registration] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, HookRegistered, cls.registered)

    def registered(self, interp: Interpreter, event: HookRegistered) -> None:
        """A hook was put on a tensor or a module: once more, by the same statement?"""
        if isinstance(event.owner, Tensor) and not event.owner.parameter:
            return  # a tensor of this iteration, most likely
        now = Registration(event, interp.harness_call, len(event.registered))
        key = event.place, id(event.owner)
        before, self.last[key] = self.last.get(key), now
        if before is not None and before.is_repeated_by(now):
            name = event.owner.name if isinstance(event.owner, Tensor) else None
            note(interp, Pitfall.HOOK_REPEATED, event.place, tensor=name, operator=event.operator)


def _is_same(one: Value, other: Value) -> bool:
    """Whether two hooks do the same: one function, of one object, that closes over the same."""
    if isinstance(one, Method) and isinstance(other, Method):
        return (
            one.receiver is other.receiver and one.function.definition is other.function.definition
        )
    if isinstance(one, Function) and isinstance(other, Function):
        alike = one.definition is other.definition and not one.defaults and not one.keyword_defaults
        return alike and (one.scope is other.scope or _close_over_the_same(one, other))
    return False


def _close_over_the_same(one: Function, other: Function) -> bool:
    """Whether the names that two functions read of the calls that they were made in mean the same
    objects."""
    names = {part.id for part in ast.walk(one.node) if isinstance(part, ast.Name)}
    values = ((one.scope.names.get(name), other.scope.names.get(name)) for name in names)
    return all(mine is others for mine, others in values)
