"""Leaves: parameters that nobody finds, flags that do nothing, updates that lose."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache

from autograd_lint.checkers import binding, trainable, unoptimized, updates
from autograd_lint.checkers.exposed_attributes import given_out
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.state import Added
from autograd_lint.checkers.surroundings import refitted
from autograd_lint.checkers.unoptimized import modules_in
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.recovery import made_leaf
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    Class,
    Definition,
    Function,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
    tensors_in,
)

FLAG = "requires_grad"
OPTIMIZER = 0  # among the modules that know a parameter
Registered = dict[int, set[int]]  # the modules that know a parameter, by their identities
Names = frozenset[str]
CONVERSIONS = {"to", "type", "double", "half", "bfloat16", "float", "cuda", "cpu"}
MAY_DO_NOTHING = frozenset({Assumption(Kind.NEW_TENSOR, weight=2)})
RARELY_NOTHING = frozenset({Assumption(Kind.OTHER_BEFORE)})
RANDOM = {"randn", "rand", "empty", "normal", "Tensor", "FloatTensor", "randn_like", "rand_like"}
MADE = "made by the program"  # of a class, of which then that object tells
CLOSE = 0.85  # how alike a misspelt name is to the one that was meant


def attribute_set(
    interp: Interpreter, owner: Value, name: str, value: Value, node: ast.AST
) -> None:
    """`owner.name = value` is about to happen."""
    from autograd_lint.vm.instances import is_module

    if "grad" in name and isinstance(owner, (Tensor, Unknown, Instance)):
        _judge_flag(interp, owner, name, value, node)
    if is_module(owner):
        binding.binds(interp, owner, name, node)
        child_set(interp, owner, owner.attributes.get(name), value, interp.place(node))
        updates.replaced(interp, owner.attributes.get(name), value)
        trainable.bound(interp, owner.attributes.get(name), value, interp.place(node))
    elif isinstance(owner, Unknown):
        part_set(interp, owner, value, interp.place(node))


def _judge_flag(interp: Interpreter, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    from autograd_lint.libraries.torch.opaque_modules import KEY, PART
    from autograd_lint.vm.instances import is_module

    hidden = isinstance(owner, Unknown) and not owner.attributes.keys().isdisjoint({KEY, PART})
    hidden = hidden and not _found_parameter(interp, owner)
    # An object that is told such a flag keeps it for its own use.
    own = owner is interp.frame.receiver and FLAG in interp.frame.scope.names
    modules = (is_module(owner) or hidden) and not own
    if name == FLAG and modules and isinstance(value, bool):
        assumed = isinstance(owner, Unknown)
        because = Assumption(Kind.IS_MODULE, owner.origin, weight=0) if assumed else None
        assumptions = frozenset({because}) if because else frozenset()
        note(
            interp,
            Pitfall.FLAG_WITHOUT_EFFECT,
            interp.place(node),
            operator=name,
            assumptions=assumptions,
        )
    elif _misspelt(name) and isinstance(value, bool):
        note(interp, Pitfall.FLAG_WITHOUT_EFFECT, interp.place(node), operator=name)


def _found_parameter(interp: Interpreter, owner: Unknown) -> bool:
    """Whether the path has found something unknown to be a parameter, or another tensor."""
    return any(
        isinstance(key, tuple)
        and key[0] == "isinstance"
        and re.search(r"\b(Parameter|Tensor)\b", key[1]) is not None
        and isinstance(answer, Unknown)
        and interp.found_true(answer)
        for key, answer in owner.attributes.items()
    )


def _misspelt(name: str) -> bool:
    from difflib import SequenceMatcher

    plain = name.strip("_")
    if plain.endswith(f"_{FLAG}"):
        return False  # the flag of something else, by its own name
    return plain != FLAG and SequenceMatcher(None, plain, FLAG).ratio() > CLOSE


def child_set(
    interp: Interpreter, owner: Instance, before: Value, value: Value, place: Place
) -> None:
    """A module gets a submodule or parameter, instead of `before` where there was one."""
    from autograd_lint.libraries.torch.modules import parameters

    new = list(_parameters_in(value)) if interp.watch.optimizers else []
    if new:
        old = {id(t) for t in _parameters_in(before)} | {id(t) for _, t in parameters(owner)}
        _added(interp, old, new, place)


def part_set(interp: Interpreter, owner: Unknown, value: Value, place: Place) -> None:
    """Something unknown, or a part of it, gets a part: a module does not tell its optimizers."""
    from autograd_lint.libraries.torch.opaque_modules import hidden_parameter, module_of, uses_parts

    new = list(_parameters_in(value)) if interp.watch.optimizers else []
    module = module_of(owner) if new else None
    if module is not None:
        own = {id(hidden_parameter(module))}
        _added(interp, own, new, place, frozenset({uses_parts(module)}))


def _added(
    interp: Interpreter,
    own: set[int],
    new: list[Tensor],
    place: Place,
    because: frozenset[Assumption] = frozenset(),
) -> None:
    """A module with these parameters, by their identities, gets new ones."""
    from autograd_lint.libraries.torch.optimizers import optimized

    for stepping in interp.watch.optimizers.values():
        if any(id(tensor) in own for tensor in optimized(stepping.optimizer)):
            added = [Added(stepping, tensor, place, because) for tensor in new]
            interp.watch.added.extend(added)


def _parameters_in(value: Value, depth: int = 3) -> Iterator[Tensor]:
    """The parameters in a value, those of modules and of containers too."""
    from autograd_lint.libraries.torch.modules import parameters

    if isinstance(value, Tensor):
        if value.parameter and value.requires is not None:
            yield value
    elif isinstance(value, Instance):
        yield from (tensor for _, tensor in parameters(value) if tensor.requires is not None)
    elif depth and isinstance(value, (Items, Mapping)):
        inner = value.items if isinstance(value, Items) else list(value.entries.values())
        for item in (*inner, value.rest):
            yield from _parameters_in(item, depth - 1)


def gradient_read(interp: Interpreter, tensor: Tensor, node: ast.AST) -> None:
    """`.grad` of a tensor is read: that of a non-leaf is never filled."""
    asked(interp, [tensor])
    graph = tensor.node
    if graph is None or graph.opaque or tensor.retains_grad or tensor.grad is not None:
        return
    if graph.walked_at and tensor.requires is not None:
        if not tensor.requires:
            interp.watch.absent[node] = tensor
        note(
            interp,
            Pitfall.NON_LEAF_GRAD,
            interp.place(node),
            tensor=tensor.name,
            operator=graph.operator,
            built=graph.created,
            assumptions=tensor.requires | (CERTAINLY if moved(tensor) else _doubt(interp, graph)),
        )


def absent_gradient(interp: Interpreter, node: ast.AST | None) -> Tensor | None:
    """The gradient in the place of the None that the program computes with, where that is the
    `.grad` of a tensor which is not a leaf: it goes on as if the tensor were one."""
    tensor = interp.watch.absent.get(node) if node is not None else None
    if tensor is None:
        return None
    if tensor.grad is None:
        made_leaf(tensor)
        tensor.grad = Tensor(dtype=tensor.dtype, shape=tensor.shape, contiguous=None)
    return tensor.grad


def asked(interp: Interpreter, tensors: list[Tensor]) -> None:
    """The program itself asks for gradients: no module has to know what they are of."""
    interp.watch.asked.update((id(tensor), tensor) for tensor in tensors)


def moved(tensor: Tensor) -> bool:
    """Whether it is only assumed that a leaf was moved, and a copy is what it is called by now."""
    graph = tensor.node
    leaf = graph.edges[0].leaf if graph is not None and graph.edges else None
    converted = graph is not None and graph.operator in CONVERSIONS
    return converted and leaf is not None and tensor.requires != leaf.requires


def _doubt(interp: Interpreter, graph: Node) -> frozenset[Assumption]:
    """A leaf may have been what was asked for already, and is then itself the result."""
    if graph.operator not in CONVERSIONS:
        return frozenset()
    leaf = graph.edges[0].leaf if graph.edges else None
    plain = any(leaf is made for made in interp.watch.leaves)
    # Who makes a tensor as it comes, and converts it, means another precision or device.
    return RARELY_NOTHING if plain and leaf not in interp.watch.typed else MAY_DO_NOTHING


def parameter_made(interp: Interpreter, made: Tensor, data: Tensor, node: ast.AST) -> None:
    """`nn.Parameter(torch.randn(...))`: in `forward` it begins with other values in every step.

    What a constructor makes belongs to the object that it constructs.
    """
    from autograd_lint.vm.instances import is_module

    if made.requires is None or data.made is None or data.made.operator not in RANDOM:
        return
    for frame in reversed(interp.frames):
        name = frame.function.name if frame.function is not None else ""
        if name == "__init__":
            return
        if name == "forward" and is_module(frame.receiver):
            interp.watch.anew.append((frame.receiver, made, interp.place(node)))
            return


def used(interp: Interpreter, value: Value, node: ast.AST) -> None:
    """An iterable is gone through: a generator only gives its elements once."""
    if not isinstance(value, Items) or not value.once:
        return
    place = interp.place(node)
    told = ("used up", id(value))
    if value.used is not None and told not in interp.watch.said:
        interp.watch.said.add(told)
        note(interp, Pitfall.USED_UP, place, built=Created(value.used, "iteration"))
    value.used = value.used or place


def frozen_in_part(value: Value, count: int) -> None:
    """A loop over parameters was cut short after `count` of them, all of which it has frozen: so
    it does to the others."""
    if not isinstance(value, Items) or not count:
        return
    done = [list(tensors_in(item)) for item in value.items[:count]]
    if all(found and all(t.parameter and t.requires is None for t in found) for found in done):
        for tensor in tensors_in(Items("list", value.items[count:])):
            tensor.requires = None


def finished(interp: Interpreter) -> None:
    """The run is over: who has got no optimizer, and what no module knows of."""
    held = {id(tensor) for tensor in _all_optimized(interp)}
    _judge_added(interp, held)
    _judge_tied(interp)
    _judge_anew(interp, held)
    unoptimized.finished(interp, held)
    registered = cache(lambda: _registered(interp, held))
    for module in interp.watch.modules:
        _judge_module(interp, module, registered)


def _registered(interp: Interpreter, held: set[int]) -> Registered:
    """The modules that know a parameter, and the optimizers that `held` it."""
    from autograd_lint.libraries.torch.modules import parameters

    found: Registered = {key: {OPTIMIZER} for key in held}
    for module in interp.watch.modules:
        for _, tensor in parameters(module):
            found.setdefault(id(tensor), set()).add(id(module))
    return found


def _all_optimized(interp: Interpreter) -> Iterator[Tensor]:
    from autograd_lint.libraries.torch.optimizers import optimized

    for stepping in interp.watch.optimizers.values():
        yield from optimized(stepping.optimizer)


def _judge_added(interp: Interpreter, held: set[int]) -> None:
    from autograd_lint.libraries.torch.optimizers import open_ended

    received = {id(leaf) for walk in interp.engine.passes for leaf in walk.leaves()}
    for one in interp.watch.added:
        tensor, stepping = one.tensor, one.stepping
        # What an optimizer was given of a module that is not known was there at that time.
        left_out = bool(one.because) or not open_ended(stepping.optimizer)
        if stepping.steps and left_out and id(tensor) in received - held:
            note(
                interp,
                Pitfall.NOT_OPTIMIZED,
                one.place,
                tensor=tensor.name,
                built=stepping.made,
                assumptions=one.because,
            )


def _judge_tied(interp: Interpreter) -> None:
    """Parameters made of another one, where one loss trains both."""
    if not interp.watch.tied:
        return
    received = [{id(leaf) for leaf in walk.leaves()} for walk in interp.engine.passes]
    for made, original, place in interp.watch.tied:
        if any({id(made), id(original)} <= leaves for leaves in received):
            note(interp, Pitfall.TIED_APART, place, tensor=original.name)


def _judge_anew(interp: Interpreter, held: set[int]) -> None:
    """Parameters made in `forward` that neither their module nor an optimizer has got."""
    from autograd_lint.libraries.torch.modules import parameters

    received = {id(leaf) for walk in interp.engine.passes for leaf in walk.leaves()}
    for module, made, place in interp.watch.anew:
        own = held | {id(tensor) for _, tensor in parameters(module)}
        if id(made) in received - own:
            note(interp, Pitfall.UNREGISTERED, place, tensor=made.name, operator="tensor")


def _judge_module(
    interp: Interpreter, module: Instance, registered: Callable[[], Registered]
) -> None:
    """Report what a module holds and does not register."""
    if not isinstance(module.cls, Class) or _opaque(module):
        return
    # Where the program itself makes such a module, that one shows what becomes of it.
    made = (MADE, module.cls.definition)
    if interp.whole:
        interp.world.traits[made] = True
    elif made in interp.world.traits:
        return
    for name, value in module.attributes.items():
        held = _unregistered(interp, value)
        # Where a part of a list is registered elsewhere, the rest most likely is as well.
        if not held or any(_is_said_of(module, name, find) for find in (refitted, given_out)):
            continue
        if not _is_known(held, value, registered()):
            place = binding.bound_at(interp, module, name)
            kind = "tensor" if isinstance(value, Tensor) else "container"
            note(interp, Pitfall.UNREGISTERED, place, tensor=f"self.{name}", operator=kind)


def _is_said_of(module: Instance, name: str, find: Callable[[Source, Definition], Names]) -> bool:
    """Whether an attribute is among those that something finds in a method of the object."""
    classes = module.cls.mro() if isinstance(module.cls, Class) else []
    methods = [one for cls in classes for one in cls.attributes.values()]
    return any(name in one.about(find) for one in methods if isinstance(one, Function))


def _is_known(held: list[Tensor], value: Value, registered: Registered) -> bool:
    """Whether an optimizer or a module knows some parameters, other than those in the value."""
    known = [registered[id(tensor)] for tensor in held if id(tensor) in registered]
    own = {id(module) for module in modules_in(value)} if known else set()
    return any(by - own for by in known)


def _unregistered(interp: Interpreter, value: Value) -> list[Tensor]:
    """What a module would have to register in an attribute, but does not."""
    if isinstance(value, Tensor):
        leaf = _converted(value)
        made = (*interp.watch.leaves, *interp.watch.flagged)
        plain = leaf is not None and not leaf.parameter and any(leaf is one for one in made)
        wanted = any(id(one) in interp.watch.asked for one in (value, leaf))
        return [leaf] if plain and leaf is not None and not wanted else []
    return list(_parameters_in(value)) if isinstance(value, (Items, Mapping)) else []


def _converted(value: Tensor) -> Tensor | None:
    """The leaf that a tensor is, or that it was converted from."""
    node = value.node
    if node is None:
        return value
    return node.edges[0].leaf if node.operator in CONVERSIONS and node.edges else None


def _opaque(module: Instance) -> bool:
    """Whether unknown code may have registered what it was given, or the class itself has."""
    if isinstance(module.cls, Class) and module.cls.find("__setattr__") is not None:
        return True
    return any(isinstance(v, Unknown) and "(" in v.origin for v in module.attributes.values())
