"""`MyFunction.forward(ctx, x)` instead of `MyFunction.apply(x)`: its `backward` is passed over."""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import CUSTOM_FUNCTION, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.functions.custom_functions import is_custom_function
from autograd_lint.vm.events import FunctionLeft
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function


class PassedOverFunctions(Checker):
    """Looks at each `forward` of a custom Function that is called by its name."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionLeft, cls.function_left)

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """Was it called where a gradient is wanted, by what is no custom Function itself?"""
        function, target = event.function, getattr(event.call.node, "func", None)
        if not (isinstance(target, ast.Attribute) and target.attr == "forward"):
            return
        caller = interp.frame.function
        if not event.grad_enabled or not _is_of_custom(function) or _is_of_custom(caller):
            return
        required = [one.requires_grad for one in event.arguments if isinstance(one, Tensor)]
        known = [one for one in required if one is not None]
        if known and function.owner is not None and function.owner.find("backward") is not None:
            note(
                interp,
                Pitfall.FORWARD_CALLED,
                interp.place(event.call.node),
                tensor=function.owner.name,
                detail=CUSTOM_FUNCTION,
                assumptions=min(known, key=len),
            )


def _is_of_custom(function: Function | None) -> bool:
    owner = function.owner if function is not None else None
    return owner is not None and is_custom_function(owner)
