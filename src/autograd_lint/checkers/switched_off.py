"""Parameters that an optimizer has, although all that is computed with them runs under `no_grad`.

class Tagger(nn.Module):
    def forward(self, ids):
        with torch.no_grad():
            states = self.encoder(ids)    # begins with random values, and keeps them
        return self.out(states)

Who freezes a trained network in this way has loaded its values; what nobody has loaded was to be
trained.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone, of_callers
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.lost_leaves import note_cut
from autograd_lint.checkers.module_modes import training
from autograd_lint.checkers.noting import Notes
from autograd_lint.checkers.unoptimized import as_it_was_made
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class SwitchedOff(Checker):
    """The ends of graphs at a grad mode that backwards have reached, and the parameters of modules
    that were called in it, in evaluation mode (teachers) or in training, all by identity."""

    found: dict[int, GraphBreak] = field(default_factory=dict)
    evaluated: set[int] = field(default_factory=set)
    training: set[int] = field(default_factory=set)

    @property
    def only_evaluated(self) -> set[int]:
        """The parameters that were only computed with in evaluation mode, as those of teachers."""
        return self.evaluated - self.training

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: was it evaluated?"""
        module = event.module
        if event.node is None:
            called = self.evaluated if training(module) is False else self.training
            called.update(map(id, own_parameters(module)))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which graphs on its way were not recorded?"""
        for node in event.walk.order:
            for one in node.graph_breaks:
                if one.switch is not None and not _by_checkpoint(one.switch):
                    self.found[id(one)] = one

    def end(self, interp: Interpreter) -> None:
        """The run is over: what was to be trained, and was only ever computed with in that mode?"""
        unsure = interp.opaque_backward or interp.record.gave_up
        told = Pitfall.MODE_LEAKS in interp.state(Notes).kinds()
        if not self.found or not has_trained_alone(interp) or unsure or told:
            return
        received = interp.engine.backward.received
        unmoved = interp.state(LeafRecord).unmoved
        moved = {id(leaf) for leaf in stepped(interp)} - received - {id(leaf) for leaf in unmoved}
        moved -= self.only_evaluated | of_callers(interp)
        for one in self.found.values():
            lost = [leaf for leaf in leaves_of([one.source]) if id(leaf) in moved]
            if lost and all(map(_begins_anew, lost)) and one.switch is not None:
                note_cut(
                    interp,
                    one.switch.place,
                    lost[0],
                    operator=one.switch.operator,
                    assumptions=one.assumptions | backward_paths.least(lost),
                )


def _by_checkpoint(switch: Created) -> bool:
    """Whether it is a checkpoint that records nothing, which is told of that."""
    return switch.operator == "checkpoint"


def _begins_anew(leaf: Tensor) -> bool:
    """Whether a parameter requires grad, and has the values that the program began with."""
    return leaf.parameter and leaf.requires is not None and as_it_was_made(leaf)
