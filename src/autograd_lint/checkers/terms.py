"""Terms of a loss that train nothing: all they get to belongs to another optimizer.

A `detach()` in the generator's step leaves the adversarial term only the parameters of the
discriminator, which that step does not touch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.flat import loses_nothing
from autograd_lint.checkers.given_data import only_edge
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.events import PassBegun, StepBegun
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ADDITIVE = {"add", "sub", "radd", "rsub", "add_", "sub_"}
SCALING = {"mul", "div", "neg", "rmul", "mul_", "div_", "mean", "sum"}
JOINING = {"stack", "cat", "concat", "hstack", "vstack"}  # of terms, where a sum is taken of them
SHAPING = {"view", "reshape", "unsqueeze", "squeeze", "flatten"}


@dataclass(slots=True, eq=False, repr=False)
class Term:
    """A term of a loss: one of its cuts, and the leaves that backward gets to nevertheless."""

    walk: Pass
    graph_break: GraphBreak
    leaves: list[Tensor]


@dataclass(slots=True, eq=False, repr=False)
class Terms(Checker):
    """The terms of losses that lead past cuts, and which backwards were `used` for which leaf."""

    terms: list[Term] = field(default_factory=list)
    used: set[tuple[int, int]] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, StepBegun, cls.step_begun)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: remember its terms that lead to leaves, and past cuts."""
        walk = event.walk
        if in_custom_function(interp) or not walk.call.fills_gradients:
            return
        if not any(node.graph_breaks for node in walk.order):
            return
        for node in sums_in(walk.starts):
            for target in node.edges if len(node.edges) > 1 else ():
                breaks, leaves = _behind(target)
                if breaks and leaves:
                    self.terms.append(Term(walk, breaks[0], leaves))

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """A step uses what several backwards have put into a gradient."""
        for gradient in interp.state(TrainingRecord).of(event.tensors):
            leaf = id(gradient.leaf)
            self.used.update((leaf, id(share.walk)) for share in gradient.fresh)

    def end(self, interp: Interpreter) -> None:
        """The run is over: whose terms never moved anything, though what they cut off was moved?"""
        for term in self.terms:
            key = id(term.walk)
            if any((id(leaf), key) in self.used for leaf in term.leaves):
                continue
            if any((id(leaf), key) in self.used for leaf in leaves_of([term.graph_break.source])):
                call = term.walk.call
                note(
                    interp,
                    Pitfall.CONSTANT_TERM,
                    term.graph_break.event.place,
                    tensor=term.graph_break.source.name,
                    operator=term.graph_break.event.operator,
                    needed=Needed(call.place, call.name),
                    assumptions=term.graph_break.assumptions,
                )


def sums_in(starts: Iterable[Node]) -> Iterator[Node]:
    """The nodes that add up the terms of a loss, from the loss down."""
    stack, seen = list(starts), set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.operator in ADDITIVE or node.operator in JOINING:
            yield node
            stack.extend(node.edges)
        elif node.operator in SCALING | SHAPING and (inner := only_edge(node)) is not None:
            stack.append(inner)


def _behind(term: Node) -> tuple[list[GraphBreak], list[Tensor]]:
    """The cuts in a term, and the leaves that it gets to; no cuts where unknown code is in it."""
    stack, seen = [term], set()
    breaks: list[GraphBreak] = []
    leaves: list[Tensor] = []
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.opaque:
            return [], []
        cut = (one for one in node.graph_breaks if one.switch is None)
        breaks.extend(one for one in cut if not loses_nothing(one))
        if node.leaf is not None:
            leaves.append(node.leaf)
        stack.extend(node.edges)
    return breaks, leaves
