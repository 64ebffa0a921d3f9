"""Modules that learn nothing: backward gets to them, and no optimizer has their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import (
    has_trained_alone,
    is_held_alone,
    is_seen_from_the_start,
    object_of_entry,
)
from autograd_lint.checkers.gradient_values import GradientValues
from autograd_lint.checkers.late_parameters import LateParameters
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Gradient, Stepping, TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import LEFT_OUT, Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import ParameterMade
from autograd_lint.libraries.torch.modules.modules import modules, parameters
from autograd_lint.libraries.torch.training.optimizers import is_optimizer, open_ended, optimized
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import ModuleCalled, ModuleMade
from autograd_lint.vm.instances import children
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items, Mapping, Value

LEAF_ROUNDS = 3  # the same for a leaf that is no parameter: who asks for a gradient asks soon
ROUNDS = 2  # passes that put gradients into a module, which a loop repeats
# What draws or sets the values that training begins with: `torch.nn.init` and the like.
BEGINNINGS = frozenset(
    f"{name}_"
    for name in (
        *("normal", "uniform", "xavier_normal", "xavier_uniform", "kaiming_normal"),
        *("kaiming_uniform", "orthogonal", "trunc_normal", "zeros", "constant", "zero", "fill"),
        *("ones", "eye", "dirac", "sparse"),
    )
)


@immutable
class Made:
    """A module, where the program made it, and during a run of which object."""

    module: Instance
    place: Place
    holder: Instance | None = None


@dataclass(slots=True, eq=False, repr=False)
class Unoptimized(Checker):
    """The modules that were made, and the parameters, each with the place; `inputs` are what
    modules were given."""

    modules: list[Made] = field(default_factory=list)
    parameters: list[tuple[Tensor, Place]] = field(default_factory=list)
    inputs: set[Tensor] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleMade, cls.made)
        to.add(cls, ParameterMade, cls.parameter_made)
        to.add(cls, ModuleCalled, cls.module_called)

    def made(self, interp: Interpreter, event: ModuleMade) -> None:
        """A module was made."""
        module = event.module
        if module.made_at is None or interp.importing:
            return
        if is_seen_from_the_start(interp):
            holder = object_of_entry(interp)
            self.modules.append(Made(module, interp.place(module.made_at), holder))

    def parameter_made(self, interp: Interpreter, event: ParameterMade) -> None:
        """A parameter was made."""
        if not interp.importing and is_seen_from_the_start(interp):
            self.parameters.append((event.made, interp.place(event.node)))

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module was given something: its derivatives may be wanted, and it is data."""
        for value in (*event.call.args, *event.call.keywords.values()):
            if isinstance(value, Tensor):
                self.inputs.add(value)

    def end(self, interp: Interpreter) -> None:
        """The program is over: which of its modules that got gradients has no optimizer?"""
        unsure = interp.opaque_beyond_callers or interp.record.gave_up
        if unsure or more_optimized(interp) or not has_trained_alone(interp):
            return
        record = interp.state(TrainingRecord)
        held = {id(tensor) for tensor in record.optimized()}
        held |= {id(one.tensor) for one in interp.state(LateParameters).added}  # told there
        lost = {key: one for key, one in record.gradients.items() if key not in held}
        known = {id(tensor) for value in record.given_away for tensor in _parameters_in(value)}
        self._judge_leaves(interp, held | known)
        if any(_piles_up(gradient) for gradient in lost.values()):
            told = self._judge_modules(interp, lost, held, held | known)
            self._judge_neighbours(interp, held, held | known | told)

    def _judge_modules(
        self, interp: Interpreter, lost: dict[int, Gradient], held: set[int], known: set[int]
    ) -> set[int]:
        """Modules that no optimizer has; gives back the parameters of those that are told."""
        forgotten = list(_forgotten(self.modules, held))
        declared = {id(tensor) for tensor, _ in self.parameters}
        told: set[int] = set()
        for one in (*_outermost(self.modules), *forgotten):
            gradients = [lost[key] for key in _trainable(one.module) if key in lost]
            stepping = _beside(interp, gradients)
            if stepping is None or not _is_left_out(interp, one.module, known):
                continue
            if one.holder is None or is_held_alone(interp, one.holder, one.module):
                told |= _trainable(one.module).keys()
                said = one in forgotten or any(id(each.leaf) in declared for each in gradients)
                note(
                    interp,
                    Pitfall.NO_OPTIMIZER,
                    one.place,
                    tensor=gradients[0].leaf.name,
                    built=stepping.made,
                    assumptions=CERTAINLY if said else _meant_to_learn(interp, one.module),
                )
        return told

    def _judge_neighbours(self, interp: Interpreter, held: set[int], known: set[int]) -> None:
        """A parameter that no optimizer has, while one has most of the others of its module.

        `known` are those that others know, and those of modules that are told as a whole.
        """
        record = interp.state(TrainingRecord)
        for one in self.modules:
            own = _trainable(one.module)
            left = [tensor for key, tensor in own.items() if key not in held]
            if not left or len(left) * 2 >= len(own) or _is_frozen_in_part(one.module):
                continue
            gradients = [record.gradients[id(t)] for t in left if id(t) in record.gradients]
            stepping = _beside(interp, gradients)
            if stepping is not None and _is_as_made(interp, left, known):
                wanted = Assumption(Kind.MEANT_TO_LEARN, left[0].name or "")
                of_layer = _is_part_of_trained_layer(one.module, left[0], held)
                note(
                    interp,
                    Pitfall.NO_OPTIMIZER,
                    stepping.made.place,
                    tensor=left[0].name,
                    detail=LEFT_OUT,
                    assumptions=CERTAINLY if of_layer else frozenset({wanted}),
                )

    def _judge_leaves(self, interp: Interpreter, known: set[int]) -> None:
        """A leaf of the program's own gets gradients that nothing uses, while an optimizer trains
        other parameters by the same losses."""
        record, leaves = interp.state(TrainingRecord), interp.state(LeafRecord)
        elsewhere = self._parts() | _kept_apart(leaves)
        made = ((leaf, leaf.made.place) for leaf in leaves.made if leaf.made is not None)
        for leaf, place in (*made, *self.parameters):
            gradient = record.gradients.get(id(leaf))
            asked = id(leaf) in elsewhere or id(leaf) in leaves.asked or leaf in leaves.passing
            data = leaf in self.inputs and not leaf.parameter
            if gradient is None or asked or data or len(gradient.fresh) < LEAF_ROUNDS:
                continue
            stepping = stepping_with(interp, [gradient])
            if stepping is None or not _is_as_made(interp, [leaf], known):
                continue
            wanted = Assumption(Kind.MEANT_TO_LEARN, leaf.name or "")
            note(
                interp,
                Pitfall.NO_OPTIMIZER,
                place,
                leaf=leaf,
                detail=LEFT_OUT,
                built=stepping.made,
                assumptions=CERTAINLY if leaf.parameter else frozenset({wanted}),
            )

    def _parts(self) -> set[int]:
        """The parameters of the modules that were made."""
        return {id(tensor) for one in self.modules for _, tensor in parameters(one.module)}


def _kept_apart(leaves: LeafRecord) -> set[int]:
    """What the attributes of an object hold that has no optimizer: it may be trained elsewhere."""
    return {
        id(tensor)
        for one in leaves.constructed
        if not any(map(is_optimizer, one.attributes.values()))
        for value in one.attributes.values()
        for tensor in tensors_in(value)
    }


def _meant_to_learn(interp: Interpreter, module: Instance) -> frozenset[Assumption]:
    """What is assumed of a module of layers that stands by itself: it may be there to stay as it
    was drawn. Of a part whose neighbours are trained, and of parameters that the program declares
    itself, the program says that they are to learn."""
    name = interp.text(module.made_at) if module.made_at else ""
    return frozenset({Assumption(Kind.MEANT_TO_LEARN, name, weight=0)})


def more_optimized(interp: Interpreter) -> bool:
    """Whether some optimizer may have parameters that the code has made, and is not known to."""
    return any(
        open_ended(stepping.optimizer, made_here=True)
        for stepping in interp.state(TrainingRecord).optimizers.values()
    )


def _outermost(known: list[Made]) -> Iterator[Made]:
    """The modules that are part of no other one, nor in a list of it."""
    parts = {
        id(part)
        for one in known
        for value in one.module.attributes.values()
        for part in modules_in(value)
    }
    return (one for one in known if id(one.module) not in parts)


def _forgotten(known: list[Made], held: set[int]) -> Iterator[Made]:
    """The parts of a module that no optimizer has, while it has most of its other parts."""
    made = {id(one.module): one for one in known}
    for whole in known:
        inner = [part for part in children(whole.module) if isinstance(part, Instance)]
        parts = [(part, _trainable(part).keys()) for part in inner]
        left = [part for part, own in parts if own and own.isdisjoint(held)]
        taken = [part for part, own in parts if own and not own.isdisjoint(held)]
        if len(left) < len(taken):
            yield from (made[id(part)] for part in left if id(part) in made)


def modules_in(value: Value, depth: int = 3) -> Iterator[Instance]:
    """The modules in a container, and those below them."""
    if isinstance(value, Instance):
        yield from modules(value)
    elif depth and isinstance(value, (Items, Mapping)):
        inner = value.items if isinstance(value, Items) else list(value.entries.values())
        for item in (*inner, value.rest):
            yield from modules_in(item, depth - 1)


def _trainable(module: Instance) -> dict[int, Tensor]:
    """The parameters of a module that require grad, by their identities."""
    return {id(tensor): tensor for _, tensor in parameters(module) if tensor.requires is not None}


def _piles_up(gradient: Gradient) -> bool:
    """Whether several passes have put something there that nothing has used or cleared."""
    return gradient.leaf.parameter and gradient.used is None and len(gradient.fresh) >= ROUNDS


def _beside(interp: Interpreter, gradients: list[Gradient]) -> Stepping | None:
    """The optimizer that trains another module with the same losses."""
    return stepping_with(interp, [gradient for gradient in gradients if _piles_up(gradient)])


def stepping_with(interp: Interpreter, piled: list[Gradient]) -> Stepping | None:
    """The optimizer that trains other parameters with the losses that have filled gradients."""
    reached = {
        id(leaf)
        for gradient in piled
        for share in gradient.fresh
        for leaf in share.walk.leaves()
        if leaf.parameter
    }
    return next(
        (
            stepping
            for stepping in interp.state(TrainingRecord).optimizers.values()
            if stepping.useful >= ROUNDS
            and any(id(tensor) in reached for tensor in optimized(stepping.optimizer))
        ),
        None,
    )


def _is_part_of_trained_layer(module: Instance, tensor: Tensor, held: set[int]) -> bool:
    """Whether an optimizer has another parameter of the layer that a parameter belongs to."""
    for layer in modules(module):
        own = [value for value in layer.attributes.values() if isinstance(value, Tensor)]
        if any(one is tensor for one in own):
            return any(id(one) in held for one in own)
    return False


def _is_frozen_in_part(module: Instance) -> bool:
    """Whether the program has frozen parameters of a module, and so says which are to learn."""
    return any(tensor.requires is None for _, tensor in parameters(module))


def _is_left_out(interp: Interpreter, module: Instance, known: set[int]) -> bool:
    """Whether a module all of which is in training is as it was made, and nobody else knows its
    parameters."""
    training = all(part.attributes.get("training") is True for part in modules(module))
    as_a_whole = training and not _is_frozen_in_part(module)
    return as_a_whole and _is_as_made(interp, list(_trainable(module).values()), known)


def _is_as_made(interp: Interpreter, tensors: list[Tensor], known: set[int]) -> bool:
    """Whether some parameters are as they were made, and nobody else knows them."""
    observed = {id(leaf) for _, leaf in interp.state(GradientValues).leaves.values()}
    others = {id(tensor) for tensor in tensors}.isdisjoint(known | observed)
    return others and all(map(as_it_was_made, tensors))


def as_it_was_made(tensor: Tensor) -> bool:
    """Whether a parameter still has the values that training would begin with."""
    written = [*tensor.storage.writes, *tensor.storage.unversioned_writes]
    return all(write.event.operator in BEGINNINGS for write in written)


def _parameters_in(value: Value, depth: int = 3) -> Iterator[Tensor]:
    """The parameters that whoever has a value can find."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Instance):
        yield from (tensor for _, tensor in parameters(value))
        inner = list(value.attributes.values())
    elif isinstance(value, Items):
        inner = [*value.items, value.rest]
    elif isinstance(value, Mapping):
        inner = list(value.entries.values())
    if depth and isinstance(value, (Instance, Items, Mapping)):
        for item in inner:
            yield from _parameters_in(item, depth - 1)
