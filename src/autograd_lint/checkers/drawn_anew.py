"""Checkpoints that draw other random numbers in backward than in the forward.

x = checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)   # block has dropout

Backward runs the block again and drops other elements: the gradient is one of another loss.
Source: `preserve_rng_state` in https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import RedrawnRun
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

DRAWING = frozenset(
    {f"dropout{n}" for n in ("", "1d", "2d", "3d")}
    | {f"Dropout{n}" for n in ("", "1d", "2d", "3d")}
    | {"alpha_dropout", "feature_alpha_dropout", "AlphaDropout", "FeatureAlphaDropout"}
    | {"gumbel_softmax", "rsample"}
)
_PUT_BACK = ("set_rng_state", "fork_rng")  # who takes care of the generators: the program itself


@dataclass(slots=True, eq=False, repr=False)
class DrawnAnew(Checker):
    """The nodes in checkpoints that draw random numbers, and others when they are run again."""

    drawn: list[tuple[Node, Place]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, RedrawnRun, cls.redrawn)

    def redrawn(self, interp: Interpreter, event: RedrawnRun) -> None:
        """A checkpoint has run that does not put the generators back: was anything drawn?"""
        if puts_back(interp.source):
            return
        first = next((node for node in event.nodes if node.operator in DRAWING), None)
        if first is not None:
            self.drawn.append((first, event.place))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them did a backward go through?"""
        for node, place in self.drawn:
            if node.walked_at:
                note(
                    interp,
                    Pitfall.DRAWN_ANEW,
                    place,
                    operator=node.operator,
                    built=Created(node.place, node.operator),
                    needed=Needed(node.walked_by, "backward"),
                    assumptions=node.requires,
                )


def puts_back(source: Source) -> bool:
    """Whether a file takes care of the generators itself."""
    return any(word in source.text for word in _PUT_BACK)
