"""What a checker is: it listens to what happens in a run, and tells of one kind of pitfall."""

from __future__ import annotations

from autograd_lint.vm.listening import Listener
from autograd_lint.vm.machine import Interpreter


class Checker(Listener):
    """Looks for one pitfall in one run: for each run an object is made, which owns its state."""

    __slots__ = ()

    def end(self, interp: Interpreter) -> None:
        """The run is over: tell of what only now can be judged, which is nothing as a rule."""
        return
