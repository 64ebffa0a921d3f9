"""Terms of a loss that train nothing: all they get to belongs to another optimizer.

A `detach()` in the generator's step leaves the adversarial term only the parameters of the
discriminator, which that step does not touch.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.noting import note
from autograd_lint.checkers.state import Share, Term
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.severing import Severed
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.vm.machine import Interpreter


def passed(interp: Interpreter, walk: Pass, sums: Iterator[Node]) -> None:
    """A backward begins: remember its terms that lead to leaves, and past cuts."""
    if not any(node.severed for node in walk.order):
        return
    for node in sums:
        for target in node.edges if len(node.edges) > 1 else ():
            severed, leaves = _behind(target)
            if severed and leaves:
                interp.watch.terms.append(Term(walk, severed[0], leaves))


def _behind(term: Node) -> tuple[list[Severed], list[Tensor]]:
    """The cuts in a term, and the leaves that it gets to; no cuts where unknown code is in it."""
    stack, seen = [term], set()
    severed: list[Severed] = []
    leaves: list[Tensor] = []
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.opaque:
            return [], []
        severed.extend(one for one in node.severed if one.switch is None)
        if node.leaf is not None:
            leaves.append(node.leaf)
        stack.extend(node.edges)
    return severed, leaves


def used(interp: Interpreter, leaf: Tensor, shares: list[Share]) -> None:
    """A step uses what several backwards have put into a gradient."""
    interp.watch.used.update((id(leaf), id(share.walk)) for share in shares)


def finished(interp: Interpreter) -> None:
    """The run is over: whose terms never moved anything, though what they cut off was moved?"""
    watch = interp.watch
    for term in watch.terms:
        key = id(term.walk)
        if any((id(leaf), key) in watch.used for leaf in term.leaves):
            continue
        if any((id(leaf), key) in watch.used for leaf in leaves_of([term.severed.source])):
            call = term.walk.call
            note(
                interp,
                Pitfall.CONSTANT_TERM,
                term.severed.event.place,
                tensor=term.severed.source.name,
                operator=term.severed.event.operator,
                needed=Needed(call.place, call.name),
                assumptions=term.severed.assumptions,
            )
