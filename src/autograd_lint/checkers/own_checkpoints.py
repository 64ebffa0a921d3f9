"""Checkpoints of the program's own that draw other random numbers in backward than in the forward.

class CheckpointFunction(torch.autograd.Function):
    def forward(ctx, block, x):
        ctx.block, ctx.x = block, x
        with torch.no_grad():
            return block(x)                    # drops some elements
    def backward(ctx, gradient):
        x = ctx.x.detach().requires_grad_()
        with torch.enable_grad():
            out = ctx.block(x)                 # drops others
        return None, *torch.autograd.grad(out, x, gradient)

Source: torch/utils/checkpoint.py, whose `CheckpointFunction` keeps the state of the generators.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.drawn_anew import DRAWING, puts_back
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import OWN, Pitfall
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.libraries.torch.functions.custom_functions import is_custom_function
from autograd_lint.places import Place
from autograd_lint.vm.frames import called_at
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class


@dataclass(slots=True, eq=False, repr=False)
class OwnCheckpoints(Checker):
    """The operators that draw in the `forward` of each custom Function, by the class."""

    drawn: dict[Class, set[str]] = field(default_factory=dict)
    noted: set[Class] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=DRAWING.__contains__)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """Something was drawn: by a custom Function, for the second time?"""
        index = _index(interp)
        function = interp.frames[index].function if index is not None else None
        if index is None or function is None or function.owner is None:
            return
        owner, operator = function.owner, event.operation.operator
        if function.name == "forward":
            self.drawn.setdefault(owner, set()).add(operator)
        elif operator in self.drawn.get(owner, ()) and owner not in self.noted:
            self._judge(interp, event, owner, index)

    def _judge(self, interp: Interpreter, event: OperatorRun, owner: Class, index: int) -> None:
        """A `backward` has drawn what `forward` drew: for a gradient that it asks for itself?"""
        operator, nodes = event.operation.operator, [one.node for one in event.results]
        recorded = [one for one in nodes if one is not None and one.operator == operator]
        if not recorded or puts_back(interp.frames[index].source):
            return
        self.noted.add(owner)
        place = interp.place(event.node)
        note(
            interp,
            Pitfall.DRAWN_ANEW,
            _rerun(interp, index) or place,
            operator=operator,
            detail=OWN,
            built=Created(place, operator),
            assumptions=recorded[0].requires,
        )


def _index(interp: Interpreter) -> int | None:
    """Which of the activations is that of a `forward` or `backward` of a custom Function."""
    for index in range(len(interp.frames) - 1, -1, -1):
        function = interp.frames[index].function
        if function is None or function.name not in ("forward", "backward"):
            continue
        if function.owner is not None and is_custom_function(function.owner):
            return index
    return None


def _rerun(interp: Interpreter, index: int) -> Place | None:
    """Where a `backward` runs the function again; None where it draws by itself."""
    frames = interp.frames[index : index + 2]
    return called_at(frames[0], frames[1]) if len(frames) > 1 else None
