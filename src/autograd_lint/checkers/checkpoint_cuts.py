"""Reentrant checkpoints without an input that requires grad: what is inside gets no gradient.

Source: `CheckpointFunction` in torch/utils/checkpoint.py.
"""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import CheckpointRun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class CheckpointCuts(Checker):
    """Looks at the results of checkpoints."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, CheckpointRun, cls.checkpointed)

    def checkpointed(self, interp: Interpreter, event: CheckpointRun) -> None:
        """A checkpoint was run: has it cut the graph?"""
        breaks = (one for tensor in event.results for one in tensor.graph_breaks)
        cuts = (one for one in breaks if one.switch and one.switch.operator == "checkpoint")
        cut = next(cuts, None)
        if cut is not None and interp.engine.recording:
            none = {why.as_of_data() for why in event.data}
            note(interp, Pitfall.CHECKPOINT_CUTS, event.place, assumptions=cut.assumptions | none)
