"""Hooks that stay behind when the object that has put them there goes.

for batch in loader:
    cam = GradCam(model, model.layer4)   # its constructor registers a hook on the layer
    show(cam(batch))                     # the hooks of all earlier objects run, too
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import HookRegistered
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import NameBound
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


@dataclass(slots=True, eq=False, repr=False)
class DroppedHooks(Checker):
    """The hooks on modules that methods of an object have registered, by the object."""

    registered: dict[Instance, list[HookRegistered]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, HookRegistered, cls.hook_registered)
        to.add(cls, NameBound, cls.name_bound)

    def hook_registered(self, interp: Interpreter, event: HookRegistered) -> None:
        """A hook is put on a module: by a method of which object?"""
        receiver = interp.frame.receiver
        if isinstance(receiver, Instance) and isinstance(event.owner, Instance):
            self.registered.setdefault(receiver, []).append(event)

    def name_bound(self, interp: Interpreter, event: NameBound) -> None:
        """A name goes on to another object that has put a hook where the one before it has."""
        before, value = event.before, event.value
        if not isinstance(before, Instance) or not isinstance(value, Instance) or before is value:
            return
        mine, others = self.registered.get(before), self.registered.get(value)
        if mine is None or others is None or event.target.id not in _only_used(interp.frame.source):
            return
        for one in mine:
            there = any(hook is one.hook for hook in one.registered)
            if there and any(one.place == new.place and one.owner is new.owner for new in others):
                note(interp, Pitfall.HOOK_REPEATED, one.place, operator=one.operator)


@query
def _only_used(source: Source) -> frozenset[str]:
    """The names of a file whose objects are called or asked for attributes, and nothing else: none
    of them is kept elsewhere."""
    used = {id(part.func) for part in source.each(ast.Call)}
    used |= {id(part.value) for part in source.each(ast.Attribute)}
    loaded = [name for name in source.each(ast.Name) if isinstance(name.ctx, ast.Load)]
    kept = {name.id for name in loaded if id(name) not in used}
    return frozenset(name.id for name in loaded) - kept
