"""Samples that a gradient goes through only by their own log probability.

action = distribution.rsample()
loss = -(distribution.log_prob(action) * reward).mean()
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.consumers import Consumers, consumers_in, ends
from autograd_lint.checkers.given_data import only_edge, taken_for_data
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import JOINING, SHAPING
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

PRODUCTS = {"mul", "rmul"}
NEGATING = {"neg", "rsub"}
SUBTRACTING = {"sub", "sub_"}
PASSING = SHAPING | {"neg", "sum"}
MEANT = frozenset({Assumption(Kind.MEANT_AS_SCORE, weight=0)})


class ScoredSamples(Checker):
    """Looks at the samples that a backward goes through."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which samples does it come to by a weighed log probability alone?"""
        walk = event.walk
        if walk.call.place is None or not any(map(_is_sample, walk.order)):
            return
        users = consumers_in(walk)
        for node in filter(_is_sample, walk.order):
            scores = list(ends(node, users))
            if scores and all(_is_weighed_score(one, node, users) for one in scores):
                weighed = [product for one in scores for product in _passed_on(one, users)]
                note(
                    interp,
                    Pitfall.SAMPLE_SCORED,
                    node.place,
                    tensor=node.name,
                    built=scores[0].created,
                    needed=Needed(walk.call.place, walk.call.name),
                    assumptions=MEANT
                    | node.requires
                    | scores[0].requires
                    | taken_for_data(weighed),
                )


def _is_sample(node: Node) -> bool:
    return node.operator == "rsample"


def _is_weighed_score(score: Node, sample: Node, users: Consumers) -> bool:
    """Whether a log probability is of the distribution of the sample, and goes on to be weighed by
    what has no graph."""
    if score.operator != "log_prob" or not _share_parameters(score, sample):
        return False
    weighed = list(_passed_on(score, users))
    products = all(one.operator in PRODUCTS and only_edge(one) is not None for one in weighed)
    if not weighed or not products:
        return False
    return not all(map(_is_by_number, weighed)) or _is_negated(score, users)


def _is_by_number(product: Node) -> bool:
    """Whether one number weighs all that is multiplied: that of an entropy, or a single reward."""
    return all(one.tensor.shape == () for one in product.saved)


def _is_negated(score: Node, users: Consumers) -> bool:
    """Whether a minus stands between a log probability and the loss: a reward is to grow, and a log
    probability without a minus is an entropy that is to grow."""
    seen, waiting = {id(score)}, [score]
    while waiting:
        node = waiting.pop()
        new = [one for one in users.get(id(node), []) if id(one) not in seen]
        if any(_negates(one, node) for one in new):
            return True
        seen.update(map(id, new))
        waiting += new
    return False


def _negates(user: Node, node: Node) -> bool:
    """Whether a step takes the negative of what a node gives, or subtracts that from another."""
    subtracts = user.operator in SUBTRACTING and len(user.edges) > 1
    return user.operator in NEGATING or (subtracts and user.edges[1] is node)


def _share_parameters(score: Node, sample: Node) -> bool:
    own = {id(edge) for edge in sample.edges}
    return any(id(edge) in own for edge in score.edges if edge is not sample)


def _passed_on(node: Node, users: Consumers) -> Iterator[Node]:
    """What computes with a log probability, over sums of its parts and lists of several."""
    for user in users.get(id(node), []):
        shaped = user.operator in PASSING and len(user.edges) == 1
        if shaped or user.operator in JOINING:
            yield from _passed_on(user, users)
        else:
            yield user
