"""Terms of a loss that raise what a network says, which another term of the loss trains to be true.

value = critic(state, action)
fit = mse_loss(value, wanted)                          # trains the critic
gain = -critic(state, actor(state)).mean()             # trains the actor, and the critic as well
(fit + gain).backward()

The critic learns to say more of whatever the actor does. With a backward and an optimizer for each
of both the gradient that the actor's loss leaves in the critic is cleared.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.foreign_steps import uses
from autograd_lint.checkers.given_data import own_edges
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE, SCALING, SHAPING, sums_in
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import noted_at
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import RAISED, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leads_to, leaves_of, reached
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

FITTING = {"mse_loss", "MSELoss", "smooth_l1_loss", "SmoothL1Loss", "huber_loss", "HuberLoss"}
# What the gradient of a term goes through unchanged, but for a factor or the choice of one of two.
CHOOSING = {"min", "minimum", "amin"}
LINEAR = SCALING | SHAPING | ADDITIVE | CHOOSING
MOST = 30  # nodes of a term that are looked through


class RaisedJudges(Checker):
    """Looks at the terms of losses of which one fits a network."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does one of its terms raise what another one fits?"""
        walk = event.walk
        fits = [one for one in walk.order if one.operator.rpartition(".")[2] in FITTING]
        if not fits or not walk.call.fills_gradients:
            return
        fitted = {id(leaf): leaf for leaf in leaves_of(fits) if leaf.parameter}
        for term in (edge for one in sums_in(walk.starts) for edge in one.edges):
            for above, judged in _ends(term):
                judge = _judge(judged, fitted, walk)
                if judge is not None and above.place is not None:
                    note(
                        interp,
                        Pitfall.FOREIGN_GRADIENT,
                        above.place,
                        tensor=judge.name,
                        detail=RAISED,
                        noted=noted_at(walk.call.place, "this backward goes through both terms"),
                        assumptions=walk.call.assumptions | judged.requires,
                    )
                    return


def _ends(term: Node) -> Iterator[tuple[Node, Node]]:
    """What a term is a sum of, scaled: each with the node that takes it in."""
    waiting = [(term, edge) for edge in own_edges(term)] if term.operator in LINEAR else []
    for _ in range(MOST):
        if not waiting:
            return
        above, node = waiting.pop()
        if node.operator in LINEAR:
            waiting += [(node, edge) for edge in own_edges(node)]
        else:
            yield above, node


def _judge(judged: Node, fitted: dict[int, Tensor], walk: Pass) -> Tensor | None:
    """A parameter of the network that gives what a term is a sum of, where another term fits that
    network, and it was given what parameters have made that nothing fits; None of others."""
    own = {id(leaf): leaf for leaf in leaves_of([judged]) if leaf.parameter}
    judges, others = own.keys() & fitted.keys(), own.keys() - fitted.keys()
    if not judges or not others:
        return None
    behind = reached([judged])
    using = [node for node in uses(walk, judges) if id(node) in behind]
    return own[min(judges)] if any(leads_to([node], others) for node in using) else None
