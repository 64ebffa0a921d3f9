"""Which parts of a module its last call has run.

It tells of no pitfall itself; several checkers read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.left_modes import is_dependent
from autograd_lint.checkers.module_modes import training
from autograd_lint.libraries.torch.modules.modules import modules
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown


@dataclass(slots=True, eq=False, repr=False)
class LayerCalls(Listener):
    """How many calls of modules there were, and the numbers of the last one of each module and of
    the one before, by identity."""

    calls: int = 0
    last: dict[int, int] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, _: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result."""
        key = id(event.module)
        self.calls += 1
        self.before[key] = self.last.get(key, 0)
        self.last[key] = self.calls

    def has_run_dependent(self, module: Instance | Unknown) -> bool:
        """Whether the last call of a module has run a part that depends on the mode, or may have,
        where no parts are seen to run: a program may pass over it in what it measures, or have put
        it into evaluation mode by itself. One whose class is not known may have such parts.

        def forward(self, x, testing=False):
            x = self.layer(x)
            return x if testing else self.dropout(x)
        """
        if isinstance(module, Unknown):
            return True
        since = self.before.get(id(module), 0)
        inside = list(modules(module))
        ran = [one for one in inside if self.last.get(id(one), 0) > since and one is not module]
        parts = [one for one in ran or inside if training(one) is not False]
        return is_dependent(module) or any(map(is_dependent, parts))
