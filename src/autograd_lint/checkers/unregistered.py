"""Parameters that a module holds and does not register: nobody who asks it for them finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from autograd_lint.checkers.bindings import Bindings
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.exposed_attributes import given_out, used_as_objects, used_in, wrapped
from autograd_lint.checkers.late_parameters import trained_in
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import refitted
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.checkers.unoptimized import modules_in
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import ParameterMade
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.tensors.moved_leaves import leaf_behind
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import AttributeSet, GivenToUnknownCode
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    PICKED_FROM,
    Class,
    Definition,
    Function,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

OPTIMIZER = 0  # among the modules that know a parameter
Registered = dict[int, set[int]]  # the modules that know a parameter, by their identities
Names = frozenset[str]
RANDOM = {"randn", "rand", "empty", "normal", "Tensor", "FloatTensor", "randn_like", "rand_like"}
MADE = "made by the program"  # of a class, of which then that object tells


@dataclass(slots=True, eq=False, repr=False)
class Unregistered(Checker):
    """`anew` are the parameters that a `forward` makes, each with its module, and where; `given` is
    what unknown code was called with, or is an attribute of: it may have registered that."""

    anew: list[tuple[Instance, Tensor, Place]] = field(default_factory=list)
    given: list[Value] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ParameterMade, cls.parameter_made)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)
        to.add(cls, AttributeSet, cls.attribute_set)

    def parameter_made(self, interp: Interpreter, event: ParameterMade) -> None:
        """`nn.Parameter(torch.randn(...))`: in `forward` it begins with other values in every step.

        What a constructor makes belongs to the object that it constructs.
        """
        made, data = event.made, event.data
        if made.requires is None or data.made is None or data.made.operator not in RANDOM:
            return
        for frame in reversed(interp.frames):
            name = frame.function.name if frame.function is not None else ""
            if name == "__init__":
                return
            if name == "forward" and is_module(frame.receiver):
                self.anew.append((frame.receiver, made, interp.place(event.node)))
                return

    def given_to_unknown_code(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Code that is not seen is called with something: it may register a container, and what the
        constructor of a module hands over."""
        function = interp.frame.function
        constructs = function is not None and function.name == "__init__"
        for value in (*event.call.args, *event.call.keywords.values()):
            if constructs or isinstance(value, (Items, Mapping)):
                self.given.append(value)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """What is not known is given an attribute: it may be a module, which registers it."""
        if isinstance(event.owner, Unknown) and is_module(event.value):
            self.given.append(event.value)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what does no module know of?"""
        held = {id(tensor) for tensor in interp.state(TrainingRecord).optimized()}
        self._judge_anew(interp, held)
        registered = cache(lambda: _registered(interp, held))
        given = frozenset(id(part) for one in self.given for part in (one, *modules_in(one)))
        for module in interp.state(LeafRecord).constructed:
            if not _makes_optimizers(module) or _is_trained(module, held):
                _judge_module(interp, module, registered, given)

    def _judge_anew(self, interp: Interpreter, held: set[int]) -> None:
        """Parameters made in `forward` that neither their module nor an optimizer has got."""
        received = interp.engine.backward.received
        for module, made, place in self.anew:
            own = held | {id(tensor) for _, tensor in parameters(module)}
            if id(made) in received - own:
                note(interp, Pitfall.UNREGISTERED, place, tensor=made.name, operator="tensor")


def _makes_optimizers(module: Instance) -> bool:
    """Whether a trainer asks the module itself for optimizers, which may have all that it keeps."""
    return isinstance(module.cls, Class) and module.cls.find("configure_optimizers") is not None


def _is_trained(module: Instance, held: set[int]) -> bool:
    """Whether an optimizer has something that a module registers, or that its attributes hold."""
    kept = (one for value in module.attributes.values() for one in trained_in(value))
    own = (tensor for _, tensor in parameters(module))
    return any(id(tensor) in held for tensor in (*own, *kept))


def _registered(interp: Interpreter, held: set[int]) -> Registered:
    """The modules that know a parameter, and the optimizers that `held` it; one that registers an
    element of a list, it is not known which, as a rule does so with all of them."""
    found: Registered = {key: {OPTIMIZER} for key in held}
    for module in interp.state(LeafRecord).constructed:
        own = [tensor for _, tensor in parameters(module)]
        for tensor in (*own, *_picked(module)):
            found.setdefault(id(tensor), set()).add(id(module))
    return found


def _picked(module: Instance) -> Iterator[Tensor]:
    """The tensors of lists of which a module registers an element, it is not known which."""
    unknown = (one for one in module.attributes.values() if isinstance(one, Unknown))
    for items in (one.attributes.get(PICKED_FROM) for one in unknown):
        yield from tensors_in(items)


def _judge_module(
    interp: Interpreter,
    module: Instance,
    registered: Callable[[], Registered],
    given: frozenset[int],
) -> None:
    """Report what a module holds and does not register; `given` is what unknown code may have
    registered. What was made in part may register it further on."""
    if not isinstance(module.cls, Class) or not is_module(module) or id(module) in given:
        return
    if _registers(module.cls) or module.partial:
        return
    # Where the program itself makes such a module, that one shows what becomes of it.
    made = (MADE, module.cls.definition)
    if interp.whole:
        interp.world.memory.nodes[made] = True
    elif made in interp.world.memory.nodes:
        return
    for name, value in module.attributes.items():
        held = _unregistered(interp, value)
        if not held or not _is_said_of(module, name, used_in):
            continue
        # Of several things that a function may give it, this one is not what the class is for.
        if isinstance(value, (Items, Mapping)) and _is_said_of(module, name, used_as_objects):
            continue
        if _is_alone(value) and _is_said_of(module, name, wrapped):
            continue
        # Where a part of a list is registered elsewhere, the rest most likely is as well.
        names = (name, *_holding(module, value))
        if any(_is_said_of(module, one, find) for one in names for find in (refitted, given_out)):
            continue
        if not given.isdisjoint(id(part) for part in (value, *modules_in(value))):
            continue
        if not _is_known(held, value, registered()):
            place = interp.state(Bindings).place_of(module, name)
            kind = "tensor" if isinstance(value, Tensor) else "container"
            note(
                interp,
                Pitfall.UNREGISTERED,
                place,
                tensor=f"self.{name}",
                operator=kind,
                assumptions=_moved(value),
            )


def _holding(module: Instance, value: Value) -> Iterator[str]:
    """The other attributes of a module that are lists or dictionaries with a value in them."""
    for name, other in module.attributes.items():
        inside = other.entries.values() if isinstance(other, Mapping) else ()
        parts = other.items if isinstance(other, Items) else inside
        if any(one is value for one in parts):
            yield name


def _is_alone(value: Value) -> bool:
    """Whether a value is a list or tuple of one element, and has never had more."""
    return isinstance(value, Items) and len(value.items) == 1 and value.rest is None


def _moved(value: Value) -> frozenset[Assumption]:
    """What must hold for a conversion to have made another tensor of a leaf.

    Where that is only a device that is not known, the parameter as a rule stays where it is.
    """
    if not isinstance(value, Tensor):
        return frozenset()
    leaf = leaf_behind(value)
    if leaf is None or leaf is value:
        return frozenset()
    added = (value.requires or frozenset()) - (leaf.requires or frozenset())
    return frozenset(replace(why, weight=2) for why in added)


def _is_said_of(module: Instance, name: str, find: Callable[[Source, Definition], Names]) -> bool:
    """Whether an attribute is among those that something finds in a method of the object."""
    classes = module.cls.mro() if isinstance(module.cls, Class) else []
    methods = [one for cls in classes for one in cls.attributes.values()]
    return any(name in one.query(find) for one in methods if isinstance(one, Function))


def _is_known(held: list[Tensor], value: Value, registered: Registered) -> bool:
    """Whether an optimizer or a module knows some parameters, other than those in the value."""
    known = [registered[id(tensor)] for tensor in held if id(tensor) in registered]
    own = {id(module) for module in modules_in(value)} if known else set()
    return any(by - own for by in known)


def _unregistered(interp: Interpreter, value: Value) -> list[Tensor]:
    """What a module would have to register in an attribute, but does not.

    A leaf that `forward` makes in the likeness of another tensor is there for inputs of that size,
    and a buffer that is flagged afterwards is registered.
    """
    if isinstance(value, Tensor):
        leaf = leaf_behind(value)
        if leaf is not None and leaf.parameter:
            plain = leaf is not value  # a conversion of a parameter is none any more
        else:
            plain = leaf is not None and _is_made(interp, leaf)
        asked = interp.state(LeafRecord).asked
        wanted = any(id(one) in asked for one in (value, leaf))
        return [leaf] if plain and leaf is not None and not wanted else []
    if not isinstance(value, (Items, Mapping)):
        return []
    inside = value.items if isinstance(value, Items) else value.entries.values()
    leaves = [one for one in inside if isinstance(one, Tensor) and not one.parameter]
    plain_ones = [one for leaf in leaves for one in _unregistered(interp, leaf)]
    return [*trained_in(value), *plain_ones]


def _is_made(interp: Interpreter, leaf: Tensor) -> bool:
    """Whether the program has made a tensor to be trained."""
    leaves = interp.state(LeafRecord)
    if any(leaf is one for one in leaves.made):
        return leaf not in leaves.passing or not _is_like_another(leaf)
    flagged = any(leaf is one for one in leaves.flagged)
    return flagged and leaf not in leaves.buffers


def _is_like_another(leaf: Tensor) -> bool:
    """Whether a leaf was made with the size of another tensor."""
    return leaf.made is not None and leaf.made.operator.endswith("_like")


def _registers(cls: Class) -> bool:
    """Whether a class registers by itself what it is given."""
    return cls.find("__setattr__") is not None
