"""What a run has trained: gradients and who used them, optimizers and their steps.

It tells of no pitfall itself; several checkers read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import (
    BackwardEnded,
    GradientsCleared,
    GradientsUnscaled,
    LeafUpdated,
    LossScaled,
    OptimizerMade,
    PassBegun,
    StepEnded,
)
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.places import Place
from autograd_lint.vm.events import FunctionLeft, GivenToUnknownCode
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import OpaqueBackward
from autograd_lint.vm.values import Instance, Items, Mapping, Value

ADDING = {"backward", "clip_grad_norm_"}  # writes that leave a gradient what it is
REPLACING = {"copy_", "fill_", "normal_", "uniform_", "zero_"}  # writes that leave nothing of it


def mark_of(tensor: Tensor) -> tuple[int, int]:
    """How many writes the memory of a tensor has seen, those that count as a version and others."""
    return len(tensor.storage.writes), len(tensor.storage.unversioned_writes)


def written_since(tensor: Tensor, mark: tuple[int, int]) -> set[str]:
    """The operators that have written a tensor since a mark was taken."""
    versioned, others = mark
    storage = tensor.storage
    later = *storage.writes[versioned:], *storage.unversioned_writes[others:]
    return {write.event.operator for write in later}


@dataclass(slots=True, eq=False, repr=False)
class Share:
    """What one backward added to a gradient; `steps` counts the optimizer steps before it."""

    walk: Pass
    steps: int


@dataclass(slots=True, eq=False, repr=False)
class Gradient:
    """The gradient of a leaf: the shares it holds that no step has used yet.

    `used` is the step that used it last, as long as nothing has cleared it; `mixed` the backward
    that added to it nevertheless; `wasted` what cleared it before any step; `scaled` the backward
    whose loss a gradient scaler had scaled. `held` and `mark` tell whether the program itself has
    replaced or written it, `during` is what a harness had called when backward first reached it.
    """

    leaf: Tensor
    fresh: list[Share] = field(default_factory=list)
    used: Place | None = None
    mixed: Share | None = None
    wasted: Place | None = None
    scaled: Place | None = None
    held: Tensor | None = None
    mark: tuple[int, int] = (0, 0)
    during: object | None = None

    def add(self, share: Share, during: object | None, scaled: bool) -> None:
        """A backward is about to add to it."""
        self.refresh()
        if self.used is not None and self.mixed is None:
            self.mixed = share
        self.fresh.append(share)
        self.during = self.during or during
        self.held = None
        self.scaled = share.walk.call.place if scaled else self.scaled

    def refresh(self) -> Gradient:
        """Notice what the program itself did to a gradient."""
        grad = self.leaf.grad
        if self.held is not None and (grad is not self.held or self._written(grad)):
            self.clear(None)
        if grad is None and self.fresh:
            self.clear(None)
        if grad is not None and self.held is None:
            self.held, self.mark = grad, mark_of(grad)
        return self

    def _written(self, grad: Tensor) -> bool:
        """Whether it is something else now: no step has used it, and its values are replaced; or a
        step has, and it is written in any way."""
        names = written_since(grad, self.mark)
        return bool(names & REPLACING if self.fresh else names - ADDING)

    def clear(self, place: Place | None) -> None:
        """It is cleared at a place."""
        if self.fresh:
            self.wasted = place
        self.fresh, self.used, self.mixed = [], None, None
        self.held, self.scaled = None, None

    def use(self, place: Place) -> None:
        """A step at a place uses it."""
        self.fresh, self.used, self.mixed = [], place, None
        self.wasted = self.held = None
        self.refresh()


@dataclass(slots=True, eq=False, repr=False)
class Stepping:
    """One optimizer: where it was made, its steps, and those that found no gradient.

    `idle` are pairs of such a step and of what cleared the gradients before it, `during` what a
    harness had called at the first.
    """

    optimizer: Instance
    made: Created
    steps: int = 0
    useful: int = 0
    idle: list[tuple[Place, Place | None]] = field(default_factory=list)
    during: object | None = None


@dataclass(slots=True, eq=False, repr=False)
class TrainingRecord(Listener):
    """The gradients of leaves, and the optimizers with their steps, both by identity.

    `cleared` is when the gradient of a tensor was cleared last, `wasted` the leaves whose gradients
    were cleared somewhere before any step has used them. `steps` counts the steps of all
    optimizers, `step_log` says what each of them had, `pass_steps` how many came before each
    backward. `scaled` are the results of gradient scalers, `mixed` the gradients that backward has
    added to although a step had used them, and a step has used again. `given_away` is what unknown
    code was given, `lent` the tensors: a backward through what it makes of one may lead there.
    """

    gradients: dict[int, Gradient] = field(default_factory=dict)
    optimizers: dict[int, Stepping] = field(default_factory=dict)
    cleared: dict[Tensor, int] = field(default_factory=dict)
    wasted: dict[Place, list[int]] = field(default_factory=dict)
    steps: int = 0
    step_log: list[set[int]] = field(default_factory=list)
    pass_steps: list[int] = field(default_factory=list)
    scaled: set[Node] = field(default_factory=set)
    mixed: set[Gradient] = field(default_factory=set)
    given_away: list[Value] = field(default_factory=list)
    lent: set[Tensor] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OptimizerMade, cls.made)
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, BackwardEnded, cls.backward_ended)
        to.add(cls, GradientsUnscaled, cls.unscaled)
        to.add(cls, LossScaled, cls.loss_scaled)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)

    @classmethod
    def listen_last(cls, to: Listeners) -> None:
        """What is heard when the checkers have looked at the gradients as they were before."""
        to.add(cls, GradientsCleared, cls.gradients_cleared)
        to.add(cls, LeafUpdated, cls.updated)
        to.add(cls, StepEnded, cls.step_ended)
        to.add(cls, FunctionLeft, cls.function_left)

    def of(self, tensors: Iterable[Tensor]) -> list[Gradient]:
        """The gradients of some leaves, as far as backward has reached them."""
        known = (self.gradients.get(id(t)) for t in tensors if 0 not in (t.shape or ()))
        return [gradient.refresh() for gradient in known if gradient is not None]

    def stepping(self, optimizer: Instance, place: Place, name: str) -> Stepping:
        """An optimizer; of one that the module has made before, the run sees only its steps."""
        return self.optimizers.get(id(optimizer)) or Stepping(optimizer, Created(place, name))

    def optimized(self) -> Iterator[Tensor]:
        """The parameters of all optimizers."""
        for stepping in self.optimizers.values():
            yield from optimized(stepping.optimizer)

    def leftovers(self, *, added: bool) -> bool:
        """Whether gradients are there that a step has used, or that a backward has left to one that
        was there before; `added`: and backward has added to what a step has used."""
        if added:
            return bool(self.mixed)
        if any(gradient.used is not None for gradient in self.gradients.values()):
            return True
        stepped = (one.optimizer for one in self.optimizers.values() if one.useful)
        left = (self.gradients.get(id(leaf)) for one in stepped for leaf in optimized(one))
        return any(gradient is not None and gradient.fresh for gradient in left)

    def made(self, interp: Interpreter, event: OptimizerMade) -> None:
        made = Created(event.place, event.name)
        self.optimizers[id(event.optimizer)] = Stepping(event.optimizer, made)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        walk = event.walk
        self.pass_steps.append(len(self.step_log))
        if not walk.call.fills_gradients:
            return
        share = Share(walk, self.steps)
        scaled = any(node in self.scaled for node in walk.starts)
        for leaf in walk.leaves():
            gradient = self.gradients.get(id(leaf))
            if gradient is None:
                gradient = self.gradients[id(leaf)] = Gradient(leaf)
            gradient.add(share, interp.harness_call, scaled)

    def backward_ended(self, interp: Interpreter, event: BackwardEnded) -> None:
        """Gradients are what backward has left: who replaces or overwrites them does so later."""
        for gradient in self.gradients.values():
            gradient.refresh()

    def gradients_cleared(self, interp: Interpreter, event: GradientsCleared) -> None:
        if event.tensors is None:
            for gradient in self.gradients.values():
                gradient.clear(None)
            return
        now = interp.engine.tick()
        for tensor in event.tensors:
            self.cleared[tensor] = now
            known = self.gradients.get(id(tensor))
            if known is not None and known.fresh and event.place is not None:
                self.wasted.setdefault(event.place, []).append(id(tensor))
            if known is not None:
                known.clear(event.place)

    def unscaled(self, interp: Interpreter, event: GradientsUnscaled) -> None:
        every = self.gradients.values() if event.tensors is None else self.of(event.tensors)
        for gradient in every:
            gradient.scaled = None

    def loss_scaled(self, interp: Interpreter, event: LossScaled) -> None:
        if event.enabled:
            self.scaled.add(event.node)
        else:
            self.scaled.discard(event.node)

    def step_ended(self, interp: Interpreter, event: StepEnded) -> None:
        tensors, place = event.tensors, event.place
        stepping = self.stepping(event.optimizer, place, event.name)
        stepping.steps += 1
        gradients = self.of(tensors)
        fresh = [gradient for gradient in gradients if gradient.fresh]
        if fresh:
            stepping.useful += 1
        elif not any(
            one.grad is not None or self._may_have_gradient(interp, one) for one in tensors
        ):
            wasted = next((g.wasted for g in gradients if g.wasted), None)
            stepping.during = stepping.during or interp.harness_call
            stepping.idle.append((place, wasted))
        self.steps += 1
        self.step_log.append({id(tensor) for tensor in tensors})
        for gradient in fresh:
            gradient.use(place)

    def _may_have_gradient(self, interp: Interpreter, tensor: Tensor) -> bool:
        """Whether a backward through unknown code, or through what that has made of the tensor, may
        have come since the gradient was cleared."""
        opaque = interp.state(OpaqueBackward).last > self.cleared.get(tensor, 0)
        return opaque or tensor in self.lent

    def given_to_unknown_code(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """It may train what it finds there."""
        given = (*event.call.args, *event.call.keywords.values())
        self.given_away += [one for one in given if isinstance(one, (Instance, Items, Mapping))]
        self.lent.update(event.tensors())

    def updated(self, interp: Interpreter, event: LeafUpdated) -> None:
        for gradient in self.of([event.leaf]):
            if gradient.fresh:
                gradient.use(event.place)

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """The `step` of a class of the program has run: it counts where that is an optimizer."""
        if event.function.name == "step":
            stepping = self.optimizers.get(id(event.receiver))
            if stepping is not None and stepping.steps == 0:
                stepping.steps = 1
