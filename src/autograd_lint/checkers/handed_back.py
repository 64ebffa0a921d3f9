"""A new parameter that a function hands back in the place of its argument.

def polish(offset, target):
    model = Mismatch(offset)      # holds nn.Parameter(offset)
    ...
    return model.offset           # a leaf: nothing leads back to what `offset` was computed from
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.lost_leaves import note_cut
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Noted
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import ParameterMade
from autograd_lint.places import Place
from autograd_lint.vm.events import FunctionLeft
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function


@immutable
class Restart:
    """A parameter that was made of a computed tensor."""

    parameter: Tensor
    data: Tensor
    made: Place


@dataclass(slots=True, eq=False, repr=False)
class HandedBack(Checker):
    """The parameters made of computed tensors, by identity, and those that were handed back in
    their place: where, and how many backwards there had been."""

    made: dict[int, Restart] = field(default_factory=dict)
    returned: list[tuple[Restart, Place, int]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ParameterMade, cls.parameter_made)
        to.add(cls, FunctionLeft, cls.function_left)

    def parameter_made(self, interp: Interpreter, event: ParameterMade) -> None:
        """A parameter begins with the values of a tensor that has a graph."""
        node = event.data.node
        if node is not None and node.edges and event.data.requires_grad is not None:
            place = interp.place(event.node)
            self.made[id(event.made)] = Restart(event.made, event.data, place)

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A function returns the parameter that was made of one of its arguments."""
        found = self.made.get(id(event.value)) if self.made else None
        if found is None or found.parameter is not event.value:
            return
        if any(argument is found.data for argument in event.arguments):
            passes = len(interp.engine.backward.passes)
            self.returned.append((found, _return_of(event.function), passes))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which were trained on, while nothing got to what they were made of?"""
        passes = interp.engine.backward.passes
        received = interp.engine.backward.received if self.returned else ()
        for one, place, before in self.returned:
            later = [walk for walk in passes[before:] if walk.call.accumulate]
            used = any(leaf is one.parameter for walk in later for leaf in walk.leaves())
            behind = list(leaves_of([one.data.node])) if one.data.node is not None else []
            lost = [leaf for leaf in behind if leaf.parameter or leaf.name is not None]
            if used and lost and not any(id(leaf) in received for leaf in lost):
                wanted = Assumption(Kind.MEANT_TO_LEARN, lost[0].name or "", weight=0)
                note_cut(
                    interp,
                    place,
                    lost[0],
                    operator="nn.Parameter",
                    built=one.data.node.created if one.data.node is not None else None,
                    noted=(Noted(one.made, "a new leaf is made of it here"),),
                    assumptions=(one.data.requires_grad or frozenset()) | {wanted},
                )


def _return_of(function: Function) -> Place:
    """The last `return` of a function."""
    returns = [part for part in ast.walk(function.node) if isinstance(part, ast.Return)]
    last = max(returns, key=lambda part: part.lineno, default=None)
    return function.source.place(last if last is not None else function.node)
