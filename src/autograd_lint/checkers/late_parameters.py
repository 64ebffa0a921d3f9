"""Parameters that a module got after its optimizer was made, which does not know them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import source_of
from autograd_lint.checkers.training_record import Stepping, TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.callers import innermost_function
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import OptimizerMade
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.modules.opaque_modules import uses_parts
from autograd_lint.libraries.torch.modules.opaque_parameters import module_of, opaque_parameter
from autograd_lint.libraries.torch.training.optimizers import groups_of, open_ended, optimized
from autograd_lint.places import Place
from autograd_lint.vm.events import AttributeSet, ModuleMade, PartSet
from autograd_lint.vm.instances import children, is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Items, Mapping, Unknown, Value

# What makes a module with weights that are loaded: a loss compares features of such a one, and
# nothing is to train it.
_LOADS = re.compile(r"\bpretrained\s*=\s*True\b|\bweights\s*=|\bfrom_pretrained\(")


@immutable
class Added:
    """A parameter that a module got after its optimizer was made and had made `steps`, and where.

    `because` is what it rests on where little is known of the module, `meant` what for it to be
    trained at all.
    """

    stepping: Stepping
    steps: int
    tensor: Tensor
    place: Place
    because: frozenset[Assumption] = frozenset()
    meant: frozenset[Assumption] = frozenset()


@dataclass(slots=True, eq=False, repr=False)
class LateParameters(Checker):
    """The parameters that were added; `order` says which modules and optimizers were made first, by
    the identities of parameters and of optimizers, `groups` how many groups an optimizer began
    with. `held` are the parameters that an attribute of a module has held before, by identity."""

    added: list[Added] = field(default_factory=list)
    order: dict[int, int] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)
    held: dict[tuple[Instance, str], set[int]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, PartSet, cls.part_set)
        to.add(cls, ModuleMade, cls.module_made)
        to.add(cls, OptimizerMade, cls.optimizer_made)

    def module_made(self, interp: Interpreter, event: ModuleMade) -> None:
        """A module was made, with its parameters."""
        for _, tensor in parameters(event.module):
            self.order.setdefault(id(tensor), len(self.order))

    def optimizer_made(self, _: Interpreter, event: OptimizerMade) -> None:
        """An optimizer was given what is there by now."""
        self.order[id(event.optimizer)] = len(self.order)
        self.groups[id(event.optimizer)] = len(groups_of(event.optimizer))

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute of a module, or of what may be one, is about to be set."""
        owner = event.owner
        if isinstance(owner, Instance) and is_module(owner):
            new = {id(tensor) for tensor in trained_in(event.value)}
            held = self.held.setdefault((owner, event.name), set()) if new else new
            if not new <= held:
                before = owner.attributes.get(event.name)
                self._child_set(interp, owner, before, event.value, event.node)
            held |= new
        elif isinstance(owner, Unknown):
            self._part_set(interp, owner, event.value, event.node)

    def part_set(self, interp: Interpreter, event: PartSet) -> None:
        """A module, or what may be one, is about to get a part."""
        if isinstance(event.owner, Unknown):
            self._part_set(interp, event.owner, event.value, event.node)
        else:
            self._child_set(interp, event.owner, event.before, event.value, event.node)

    def _child_set(
        self, interp: Interpreter, owner: Instance, before: Value, value: Value, node: ast.AST
    ) -> None:
        """A module gets a submodule or parameter, instead of `before` where there was one."""
        new = list(trained_in(value)) if interp.state(TrainingRecord).optimizers else []
        if new:
            old = {id(t) for t in trained_in(before)} | {id(t) for _, t in parameters(owner)}
            place = interp.place(node)
            meant = _unless_loaded(interp, value, place, interp.text(node))
            self._add(interp, old, new, place, meant=meant)

    def _part_set(self, interp: Interpreter, owner: Unknown, value: Value, node: ast.AST) -> None:
        """Something unknown gets a part: a module does not tell its optimizers."""
        new = list(trained_in(value)) if interp.state(TrainingRecord).optimizers else []
        module = module_of(owner) if new else None
        if module is not None:
            own = {id(opaque_parameter(module))}
            because = frozenset({uses_parts(module)})
            self._add(interp, own, new, interp.place(node), because)

    def _add(
        self,
        interp: Interpreter,
        own: set[int],
        new: list[Tensor],
        place: Place,
        because: frozenset[Assumption] = frozenset(),
        meant: frozenset[Assumption] = frozenset(),
    ) -> None:
        """A module with these parameters, by their identities, gets new ones."""
        for stepping in interp.state(TrainingRecord).optimizers.values():
            if any(id(tensor) in own for tensor in optimized(stepping.optimizer)):
                steps = stepping.steps
                self.added.extend(Added(stepping, steps, one, place, because, meant) for one in new)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them has no optimizer, though backward gets to them?

        An optimizer that has made its last step before may be one of an earlier training.
        """
        held = {id(tensor) for tensor in interp.state(TrainingRecord).optimized()}
        received = interp.engine.backward.received
        for one in self.added:
            tensor, stepping = one.tensor, one.stepping
            left_out = bool(one.because) or self._lacks(stepping.optimizer, tensor)
            if stepping.steps > one.steps and left_out and id(tensor) in received - held:
                note(
                    interp,
                    Pitfall.NOT_OPTIMIZED,
                    one.place,
                    tensor=tensor.name,
                    built=stepping.made,
                    assumptions=one.because | one.meant,
                )

    def _lacks(self, optimizer: Instance, tensor: Tensor) -> bool:
        """Whether an optimizer cannot have a parameter: all that it was given, known or not, was
        there when it was made."""
        made = self.order.get(id(optimizer))
        later = made is not None and self.order.get(id(tensor), -1) > made
        return not open_ended(optimizer, self.groups[id(optimizer)] if later else 0)


def _unless_loaded(
    interp: Interpreter, value: Value, place: Place, name: str
) -> frozenset[Assumption]:
    """What must hold for a module to be trained that the function around loads weights for: a
    single layer of torch has those that it was drawn with."""
    networks = isinstance(value, Instance) and not _is_layer(value)
    source = source_of(interp, place) if networks else None
    function = innermost_function(source, place.row) if source is not None else None
    if source is None or function is None or not _LOADS.search(source.segment(function)):
        return frozenset()
    return frozenset({Assumption(Kind.MODULE_TRAINED, name, weight=2)})


def _is_layer(module: Instance) -> bool:
    """Whether a module is a single layer of torch, as `nn.Linear(...)` makes it."""
    cls = module.cls
    return isinstance(cls, External) and cls.path.startswith("torch.nn.") and not children(module)


def trained_in(value: Value, depth: int = 3) -> Iterator[Tensor]:
    """The parameters in a value, those of modules and of containers too.

    Other objects, an optimizer say, may only know modules that are registered elsewhere.
    """
    if isinstance(value, Tensor):
        if value.parameter and value.requires is not None:
            yield value
    elif isinstance(value, Instance):
        known = parameters(value) if is_module(value) else ()
        yield from (tensor for _, tensor in known if tensor.requires is not None)
    elif depth and isinstance(value, (Items, Mapping)):
        inner = value.items if isinstance(value, Items) else list(value.entries.values())
        for item in (*inner, value.rest):
            yield from trained_in(item, depth - 1)
