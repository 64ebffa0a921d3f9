"""Modules that are put into evaluation mode before they are trained, and stay in it.

model = build()
model.load_state_dict(torch.load(path))
model.eval()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in loader:
    loss = criterion(model(x), y)       # dropout drops nothing, batch statistics are not used
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone, is_seen_from_the_start
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.left_modes import depends_on_mode, is_dependent_layer
from autograd_lint.checkers.module_modes import (
    depends_as_usual,
    keeps_its_mode,
    mode_set_at,
    training,
)
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import NEVER_TRAINING, Pitfall
from autograd_lint.facts.callers import in_other_functions
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.places import Place
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """The first call with a graph of a module in evaluation mode, and where that was set."""

    module: Instance | Unknown
    node: Node
    place: Place
    since: Place


@dataclass(slots=True, eq=False, repr=False)
class TrainedInEvaluation(Checker):
    """The modules that are called in evaluation mode, and those that were in training mode, by
    identity."""

    begun: dict[int, Begun] = field(default_factory=dict)
    trained: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: in which mode?"""
        module, node = event.module, event.node
        if not event.itself or node is None:
            return
        key, mode = id(module), training(module)
        if mode is True:
            self.trained.add(key)
        elif mode is False and key not in self.begun and is_seen_from_the_start(interp):
            since = mode_set_at(interp, module)
            if since is not None:
                self.begun[key] = Begun(module, node, interp.place(event.call.node), since)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which module was trained, and in evaluation mode alone?"""
        alone = has_trained_alone(interp)
        begun = [one for key, one in self.begun.items() if alone and key not in self.trained]
        moved = {id(leaf) for leaf in stepped(interp)} if begun else set()
        for one in begun:
            if not _is_left(interp, one) or keeps_its_mode(one.module):
                continue
            if one.node.walked_at and _all_move(one.module, moved):
                note(
                    interp,
                    Pitfall.LEFT_IN_EVALUATION,
                    one.since,
                    detail=NEVER_TRAINING,
                    built=Created(one.since, "eval"),
                    needed=Needed(one.place, "call"),
                    assumptions=depends_as_usual(one.module),
                )


def _is_left(interp: Interpreter, begun: Begun) -> bool:
    """Whether a module computes something else in evaluation mode, and is not a single layer: batch
    normalization alone is put into it to keep its averages. One of an unknown class may be trained
    in it on purpose where the function says so that trains it."""
    module = begun.module
    if isinstance(module, Unknown):
        return in_other_functions(interp.source, begun.since, begun.place)
    return depends_on_mode(module) and not is_dependent_layer(module)


def _all_move(module: Instance | Unknown, moved: set[int]) -> bool:
    """Whether a module has parameters, and all of them are trained: one that is frozen, or whose
    other part is, may well be meant to stay in evaluation mode."""
    own = list(own_parameters(module))
    return bool(own) and all(leaf.requires_grad is not None and id(leaf) in moved for leaf in own)
