"""Samples through which no gradient gets back to what they were drawn from.

z = torch.normal(mu, std)                      # the decoder's loss does not reach `mu`
loss = reconstruction(decoder(z)) + divergence(mu, std)

The parameters of the distribution get a gradient from another term of the same loss, so that
something is learned, but nothing of what the sample is good for. The same of a sample that is drawn
with a gradient, by noise that is scaled, and then only used cut off:

z = mu + std * torch.randn_like(std)
decoder(z.detach())
Source: derivatives.yaml of torch gives `normal`, `bernoulli` and `poisson` a derivative of zero;
`Distribution.sample` draws under `no_grad`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.consumers import Consumers, consumers_in
from autograd_lint.checkers.flat import SAMPLES
from autograd_lint.checkers.given_data import only_edge
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.checkers.terms import ADDITIVE, SCALING, SHAPING
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import CUT_SAMPLE, Pitfall
from autograd_lint.engine.walk import reached
from autograd_lint.libraries.torch.events import PassBegun, SampleDrawn, SampleScored
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

PASSING = SHAPING | SCALING | ADDITIVE | {"float", "to", "clone"}
CUTTING = {"detach", ".data"}
_NOISE = {"randn_like", "randn", "normal", "normal_"}  # what draws what is then scaled


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A sample that a backward computes with, and the parameters that it was drawn from.

    `key` is the identity of the node, or of the end of a graph, that drew it, `cut` the sample that
    was cut off, where that had a gradient.
    """

    key: int
    event: Created
    parameters: list[Node]
    walk: Pass
    cut: Node | None = None


@dataclass(slots=True, eq=False, repr=False)
class SamplesWithoutGradient(Checker):
    """The draws whose parameters the same backward gets to in another way.

    `drawn` are the draws of distributions with a density, `scored` those whose probability the
    program asks for or computes, each by the identity of what drew.
    """

    draws: list[Draw] = field(default_factory=list)
    drawn: set[int] = field(default_factory=set)
    scored: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, SampleDrawn, cls.sample_drawn)
        to.add(cls, SampleScored, cls.sample_scored)
        to.add(cls, PassBegun, cls.passed)

    def sample_drawn(self, interp: Interpreter, event: SampleDrawn) -> None:
        """A distribution has drawn a sample without a graph."""
        self.drawn.update(id(one.event) for one in event.sample.graph_breaks)

    def sample_scored(self, interp: Interpreter, event: SampleScored) -> None:
        """The program asks for the probability of a sample."""
        self.scored.update(id(one.event) for one in event.sample.graph_breaks)
        if event.sample.node is not None:
            self.scored.add(id(_shaped(event.sample.node)))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which samples does it compute with?"""
        walk = event.walk
        if not walk.call.fills_gradients:
            return
        if any(node.operator in SAMPLES for node in walk.order):
            self._judge_flat(walk)
        self._judge_ends(walk)

    def _judge_flat(self, walk: Pass) -> None:
        """Samples that torch records, with a derivative of zero."""
        users = consumers_in(walk)
        otherwise = _reached_otherwise(walk.starts)
        for node in walk.order:
            if node.operator not in SAMPLES or node.place is None:
                continue
            own = {id(edge) for edge in node.edges}
            if any(_meets(user, own, node) for user in _passed_on(node, users)):
                self.scored.add(id(node))
            elif own & otherwise:
                self.draws.append(_recorded(node, walk))

    def _judge_ends(self, walk: Pass) -> None:
        """Samples without a graph: of distributions, and those that were cut off."""
        order = {id(node) for node in walk.order}
        for node in walk.order:
            ends = (one for one in node.graph_breaks if one.switch is None)
            for draw in filter(None, (self._drawn_at(one, walk) for one in ends)):
                known = [own for own in draw.parameters if id(own) in order]
                if _meets(node, {id(own) for own in draw.parameters}):
                    self.scored.add(draw.key)
                elif known:
                    self.draws.append(replace(draw, parameters=known))

    def _drawn_at(self, end: GraphBreak, walk: Pass) -> Draw | None:
        """The draw of what has no graph from there on; None where that is no sample."""
        event, sample = end.event, end.source
        if id(event) in self.drawn:
            return Draw(id(event), event, [sample], walk)
        parameters = _scaling(sample) if event.operator in CUTTING else []
        return Draw(id(sample), event, parameters, walk, sample) if parameters else None

    def end(self, interp: Interpreter) -> None:
        """The run is over: a sample that was never scored was to learn by its values."""
        for draw in self.draws:
            used = draw.cut is not None and draw.cut.walked_at
            if draw.key not in self.scored and not used and not _is_told(interp, draw.event.place):
                _note(interp, draw)


def _recorded(node: Node, walk: Pass) -> Draw:
    return Draw(id(node), Created(node.place, node.operator), node.edges, walk)


def _scaling(sample: Node) -> list[Node]:
    """What scales and shifts noise in a sample; nothing of what is no such sample."""
    node = _shaped(sample, SHAPING)
    if node.operator == "rsample":
        return node.edges
    scaled = [edge for edge in node.edges if node.operator in ADDITIVE and _scales_noise(edge)]
    return [*node.edges, *(own for edge in scaled for own in edge.edges)] if scaled else []


def _scales_noise(node: Node) -> bool:
    made = (saved.tensor.made for saved in node.saved)
    noise = any(one is not None and one.operator.rpartition(".")[2] in _NOISE for one in made)
    return node.operator in SCALING and noise


def _shaped(node: Node, passing: Set[str] = PASSING) -> Node:
    """What gave a node its values, before they were only handed on: by shapes and scales."""
    while node.operator in passing and (inner := only_edge(node)) is not None:
        node = inner
    return node


def _reached_otherwise(starts: Iterable[Node]) -> set[int]:
    """The nodes that a gradient other than zero gets to, by identity."""
    stack, seen = list(starts), set()
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.edges if node.operator not in SAMPLES else ())
    return seen


def _passed_on(node: Node, users: Consumers) -> Iterator[Node]:
    """What computes with a sample, over shapes and scales and sums with constants."""
    for user in users.get(id(node), []):
        yield user
        if user.operator in PASSING and only_edge(user) is not None:
            yield from _passed_on(user, users)


def _meets(user: Node, parameters: set[int], sample: Node | None = None) -> bool:
    """Whether a node puts a sample together with what it was drawn from (`action - mean`), or may
    do so: unknown code that is no module."""
    others = [edge for edge in user.edges if _shaped(edge) is not sample]
    unknown = user.opaque and not any(edge.leaf and edge.leaf.parameter for edge in user.edges)
    return unknown or not parameters.isdisjoint(reached(others))


def _is_told(interp: Interpreter, place: Place | None) -> bool:
    """Whether it is told there already that all of the gradient is lost."""
    return (Pitfall.GRADIENT_CUT, place) in interp.state(Notes).noted


def _note(interp: Interpreter, draw: Draw) -> None:
    call, parameter = draw.walk.call, draw.parameters[0]
    name = parameter.name or (parameter.operator if parameter.opaque else draw.event.operator)
    meant = frozenset({Assumption(Kind.MEANT_TO_LEARN, name, weight=0)})
    note(
        interp,
        Pitfall.SAMPLE_WITHOUT_GRADIENT,
        draw.event.place,
        tensor=parameter.name,
        operator=draw.event.operator,
        detail=CUT_SAMPLE if draw.cut is not None else "",
        built=parameter.created if parameter.leaf is None else None,
        needed=Needed(call.place, call.name),
        assumptions=meant | parameter.requires | call.assumptions,
    )
