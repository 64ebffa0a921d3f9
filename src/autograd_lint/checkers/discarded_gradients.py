"""Gradients that are cleared in each iteration, though a step uses them only now and then, or that
no step uses at all: they are cleared between the backwards of two losses.

loss_of_real.backward()
optimizer.zero_grad()
loss_of_fake.backward()
optimizer.step()
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone, is_seen_from_the_start
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import source_of
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.pitfalls import BETWEEN_LOSSES, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import reached
from autograd_lint.facts.effects import trains_in
from autograd_lint.libraries.torch.events import GradientRead, GradientsCleared, StepBegun
from autograd_lint.libraries.torch.modules.opaque_parameters import stands_for_several
from autograd_lint.places import Place
from autograd_lint.project.nodes import walk as parts_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import LoopCutShort
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Decision

ROUNDS = 2  # backwards whose gradients are cleared, for one whose gradients are used


@dataclass(slots=True, eq=False, repr=False)
class DiscardedGradients(Checker):
    """What each clearing took away of which backward, the backwards that some step has used, by
    identity, and the steps by the places of these.

    `gone` are the backwards of which a clearing left nothing that was read, `read` the leaves whose
    gradients the program has read since they were cleared, by identity, `steps` the leaves of each
    step that has used some, `unfinished` the backwards of loops of which the run has not seen all.
    """

    discarded: list[tuple[Place, Pass]] = field(default_factory=list)
    useful: set[int] = field(default_factory=set)
    used: dict[Place, Place] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    read: dict[int, Tensor] = field(default_factory=dict)
    steps: dict[Place, set[int]] = field(default_factory=dict)
    unfinished: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientsCleared, cls.cleared)
        to.add(cls, StepBegun, cls.step_begun)
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, LoopCutShort, cls.cut_short)

    def cut_short(self, interp: Interpreter, event: LoopCutShort) -> None:
        """A loop is left before its last iteration: a step in one of those may use more."""
        self.unfinished |= {id(walk) for walk in interp.engine.backward.passes[event.passes :]}

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """`.grad` is read: backward may have run for that."""
        self.read[id(event.tensor)] = event.tensor

    def cleared(self, interp: Interpreter, event: GradientsCleared) -> None:
        """The gradients of some backwards go, perhaps before any step."""
        if event.tensors is not None and event.place is not None:
            walks = {id(walk): walk for walk in _walks(interp, event.tensors)}
            lasting = (walk for key, walk in walks.items() if key not in self.unfinished)
            self.discarded += ((event.place, walk) for walk in lasting)
            cleared = {id(tensor) for tensor in event.tensors}
            lost = cleared - self._read_of(event.tensors)
            self.gone |= {key for key, walk in walks.items() if _leaves_of(walk) <= lost}
            self.read = {key: one for key, one in self.read.items() if key not in cleared}

    def _read_of(self, tensors: list[Tensor]) -> set[int]:
        """Those of some tensors whose gradients the program may have read: a part of a module that
        is not known may have any of its parameters."""
        if not any(map(stands_for_several, self.read.values())):
            return set(self.read)
        return self.read.keys() | {id(one) for one in tensors if stands_for_several(one)}

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """A step uses the gradients of some backwards."""
        for walk in _walks(interp, event.tensors):
            self.steps.setdefault(event.place, {id(tensor) for tensor in event.tensors})
            self.useful.add(id(walk))
            if walk.call.place is not None:
                self.used.setdefault(walk.call.place, event.place)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what is cleared again and again, and used now and then?"""
        if not has_trained_alone(interp):
            return
        lost = [(place, walk) for place, walk in self.discarded if id(walk) not in self.useful]
        counted = Counter((place, walk.call.place) for place, walk in lost if walk.call.place)
        first = {walk.call.place: walk for _, walk in reversed(lost)}
        for (place, backward), times in counted.items():
            own = self.used.get(backward)
            step = own or self._step_in_vain(first[backward])
            if times >= ROUNDS and step is not None:
                note(
                    interp,
                    Pitfall.ZERO_GRAD_BEFORE_STEP,
                    place,
                    operator="zero_grad",
                    detail="" if own is not None else BETWEEN_LOSSES,
                    modified=Modified(step, "step", None, 0, by_optimizer=True),
                    needed=Needed(backward, "backward"),
                )

    def _step_in_vain(self, walk: Pass) -> Place | None:
        """The step of the leaves that a backward was for, where nothing has used its gradients."""
        leaves = _leaves_of(walk)
        if id(walk) not in self.gone or _may_reach_others(walk):
            return None
        return next((place for place, moved in self.steps.items() if leaves <= moved), None)


def _may_reach_others(walk: Pass) -> bool:
    """Whether something went into the loss of which nobody knows the graph: a sample that unknown
    code has drawn leads back to the policy."""
    starts = (root.node for root in walk.call.roots if root.node is not None)
    return any(node.opaque and not node.edges for node in reached(starts).values())


def _leaves_of(walk: Pass) -> set[int]:
    return {id(leaf) for leaf in walk.leaves()}


def _walks(interp: Interpreter, tensors: list[Tensor]) -> Iterator[Pass]:
    """The backwards that have given leaves gradients since these were cleared or stepped.

    None where a condition had to be decided that a step hangs on: one that it leaves out may be one
    whose gradients are not to be used.
    """
    decisions = interp.choices.path.decisions
    if is_seen_from_the_start(interp) and not any(_steers(interp, one) for one in decisions):
        for gradient in interp.state(TrainingRecord).of(tensors):
            yield from (share.walk for share in gradient.fresh)


def _steers(interp: Interpreter, decision: Decision) -> bool:
    """Whether a training step may hang on a decision: not on whether a window of a loop ends."""
    places = [place for place in (decision.branch, decision.around) if place is not None]
    return not decision.in_step and any(_steers_at(interp, place) for place in places)


def _steers_at(interp: Interpreter, place: Place) -> bool:
    """Whether a training step may hang on the branch at a place."""
    source = source_of(interp, place)
    if source is None:
        return True
    return _steering(source).get(place.row, source is not interp.world.source)


@query
def _steering(source: Source) -> dict[int, bool]:
    """Whether a training step may hang on the branches of a file, by the rows they begin on."""
    found: dict[int, bool] = {}
    for one in source.each(ast.If):
        known = found.get(one.lineno, False)
        found[one.lineno] = known or _leaves(one) or trains_in(source, one)
    return found


def _leaves(branch: ast.If) -> bool:
    leaving = (ast.Break, ast.Continue, ast.Return, ast.Raise)
    return any(isinstance(part, leaving) for part in parts_of(branch))
