"""Parameters that are trained with those of an optimizer, and that no optimizer has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import LEFT_OUT, UNFROZEN, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import all_modules, modules_at_hand, name_of
from autograd_lint.live.pitfalls.told import Told, sum_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_ROUNDS = 3  # calls that fill a gradient which nothing uses
_OWN, _OTHER = 1, 2  # what leaves a node leads to
_MOST = 64  # frozen parameters that are followed
_MOST_OPTIMIZERS = 8  # that are built, of which the modules beside them are looked at


@dataclass(frozen=True, slots=True)
class _Found:
    """A parameter that no optimizer has as yet: what it is called, a sum of its values, the
    optimizer that lacks it, and where it was made of a constant, if the program has done that."""

    leaf: Leaf
    name: str | None
    value: float
    optimizer: Created
    made: Site | None = None

    @property
    def is_moved(self) -> bool:
        """Whether the program has changed it by hand."""
        tensor = self.leaf.tensor()
        return tensor is not None and sum_of([tensor]) != self.value


@dataclass(slots=True)
class _Unfrozen:
    """A parameter that was frozen once: where the program switches it on, or the optimizer that was
    made before that, a sum of its values, how many steps of others found a gradient of it, and what
    it is called if it was as ever after some of these."""

    leaf: Leaf
    at: Site
    detail: str
    value: float
    steps: int = 0
    name: str | None = None
    is_left: bool = False


class LeftOut(Family):
    """Looks for three kinds once an optimizer has settled; told at the end, if none has them then.

    One is a part of a layer whose other parameters an optimizer has, as where groups are chosen by
    name. Where most of what gets gradients is left out, or most parameters of that name, that is
    meant. Another is a parameter that the program has made itself of a constant, or of anything
    where nothing else is left out of the module that has it, or at all, if it is applied to what is
    trained. The third is what was frozen when an
    optimizer was made of the rest of its module, or before, and was switched on since then.
    """

    __slots__ = ("_applied", "_built", "_found", "_gradients", "_made", "_told", "_unfrozen")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        # Of which constant, if it was one.
        self._made: dict[int, tuple[ref[torch.Tensor], Site, float | None]] = {}
        self._unfrozen: dict[int, _Unfrozen] = {}
        self._built = 0
        self._found: dict[int, _Found] = {}
        self._applied: set[int] = set()

    def made(self, parameter: torch.Tensor, site: Site) -> None:
        """The program has made a parameter itself."""
        self._made[id(parameter)] = ref(parameter), site, _constant(parameter)

    def flagged(self, tensor: torch.Tensor, site: Site | None) -> None:
        """The program switches on a leaf: one that it has frozen before?"""
        if tensor.requires_grad or self._gradients.where_frozen(tensor) is None:
            return
        known = self._unfrozen.get(id(tensor))
        if site is not None and (known is None or known.detail != UNFROZEN):
            leaf, value = self._gradients.leaf(tensor), sum_of([tensor])
            self._unfrozen[id(tensor)] = _Unfrozen(leaf, site, UNFROZEN, value)

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built of these: what is frozen in the modules that have them?"""
        self._built += 1
        if site is None or self._built > _MOST_OPTIMIZERS:
            return
        own = set(map(id, held))
        for module in modules_at_hand(self._told.sites):
            parameters = [*module.parameters()]
            is_its = any(id(one) in own for one in parameters)
            for one in parameters if is_its else ():
                is_known = id(one) in own or id(one) in self._unfrozen
                if len(self._unfrozen) < _MOST and not (one.requires_grad or is_known):
                    leaf, value = self._gradients.leaf(one), sum_of([one])
                    self._unfrozen[id(one)] = _Unfrozen(leaf, site, LEFT_OUT, value)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: is there a gradient of what was frozen?"""
        for known in self._unfrozen.values():
            tensor = known.leaf.tensor()
            if tensor is None or not tensor.requires_grad or tensor.grad is None:
                continue
            known.steps += 1
            if known.steps == _ROUNDS:
                known.name = name_of(tensor, self._told.sites)
                known.is_left = sum_of([tensor]) == known.value

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: which of the program's own parameters, that no optimizer
        has, are applied to what others have computed of data?"""
        own = {
            id(one)
            for one in (walk.leaves if self._made and walk.accumulates else ())
            if id(one) in self._made and not self._gradients.leaf(one).owned
        }
        if own and len(own) < len(walk.leaves):
            self._applied |= _applied(walk.nodes, own)

    def settled(self, optimizer: Optimizer) -> None:
        """An optimizer has settled: what gets gradients beside its parameters?"""
        built = self._gradients.latest_built()
        left = {
            id(one): one for leaf in self._gradients.leaves() if (one := _left(leaf)) is not None
        }
        if built is None or not left:
            return
        for tensor in left.values():
            site, value = self._maker(tensor)
            if site is not None and value is not None and _constant(tensor) == value:
                self._note(tensor, built, site)
        owned = self._gradients.owned()
        trained = (leaf.tensor() for leaf in self._gradients.leaves() if leaf.reached)
        updated = [one for one in trained if one is not None and id(one) in owned]
        if _size(left.values()) < _size(updated):
            loose = all(self._maker(one)[0] is not None for one in left.values())
            for tensor, beside in (*_parts(left, owned), *(_loose(left, owned) if loose else ())):
                self._note(tensor, self._gradients.built_with(beside) or built)
            applied = (one for one in left.values() if loose and id(one) in self._applied)
            for tensor in applied:
                self._note(tensor, built, self._maker(tensor)[0])

    def _maker(self, tensor: torch.Tensor) -> tuple[Site | None, float | None]:
        """Where the program has made a parameter itself, and of which constant, if of one."""
        made, site, value = self._made.get(id(tensor), (None, None, None))
        return (site, value) if made is not None and made() is tensor else (None, None)

    def trained(self) -> None:
        """The program has run to its end: which of these has no optimizer got?"""
        for found in self._found.values():
            if found.leaf.owned or found.leaf.backwards < _ROUNDS or found.is_moved:
                continue
            own = place_of(found.made)
            self._told.tell(
                Pitfall.NO_OPTIMIZER,
                own or found.optimizer.place,
                tensor=found.name,
                detail=LEFT_OUT,
                built=found.optimizer if own is not None else None,
            )

        self._look_at_unfrozen()

    def _look_at_unfrozen(self) -> None:
        """What was switched on, and gets gradients ever since that nothing uses."""
        built = self._gradients.latest_built()
        for known in self._unfrozen.values():
            if known.is_left and known.leaf.is_parameter and not known.leaf.owned:
                switched = built if known.detail == UNFROZEN else None
                self._told.tell(
                    Pitfall.NO_OPTIMIZER,
                    known.at,
                    tensor=known.name,
                    detail=known.detail,
                    built=switched,
                )

    def _note(self, tensor: torch.Tensor, built: Created, made: Site | None = None) -> None:
        if id(tensor) not in self._found:
            name, leaf = name_of(tensor, self._told.sites), self._gradients.leaf(tensor)
            self._found[id(tensor)] = _Found(leaf, name, sum_of([tensor]), built, made)


def _left(leaf: Leaf) -> torch.Tensor | None:
    """A parameter that no optimizer has, with a gradient."""
    tensor = leaf.tensor() if leaf.is_parameter and leaf.backwards and not leaf.owned else None
    return tensor if tensor is not None and tensor.requires_grad else None


def _parts(
    left: dict[int, torch.Tensor], owned: set[int]
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """What is left out of a layer, with a parameter of it that an optimizer has; most others of
    that name have one."""
    layers = [[*module._parameters.items()] for module in all_modules()]
    named = [(name, one) for layer in layers for name, one in layer if one is not None]
    updated = Counter(name for name, one in named if id(one) in owned)
    updated.subtract(name for name, one in named if id(one) in left)
    for layer in layers:
        beside = next((one for _, one in layer if one is not None and id(one) in owned), None)
        for name, one in layer if beside is not None else ():
            if one is not None and beside is not None and id(one) in left and updated[name] > 0:
                yield one, beside


def _loose(
    left: dict[int, torch.Tensor], owned: set[int]
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """What is left out of modules whose parts optimizers have, with a parameter of such a part."""
    for module in all_modules():
        own = [one for one in module._parameters.values() if one is not None and id(one) in left]
        held = module.parameters() if own else iter(())
        beside = next((one for one in held if id(one) in owned), None)
        if beside is not None:
            yield from ((one, beside) for one in own)


def _applied(nodes: list[Any], own: set[int]) -> set[int]:
    """Which of these leaves meet, by themselves or picked, what layers of others have computed."""
    marks = {one: _OWN if id(one.variable) in own else _OTHER for one in graph.leaf_nodes(nodes)}
    leads = graph.carried(nodes, marks)
    found: set[int] = set()
    for node in nodes:
        edges = graph.edges_of(node)
        if sorted(leads.get(one, 0) for one in edges) != [_OWN, _OTHER]:
            continue
        parameter, other = sorted(edges, key=lambda one: leads[one])
        below = graph.nodes_below([other])
        is_computed = any(graph.operator_of(one) in graph.PRODUCTS for one in below)
        alone = graph.nodes_below([parameter])
        if is_computed and not any(graph.operator_of(one) in graph.PRODUCTS for one in alone):
            found.update(map(id, graph.leaves_in(alone)))
    return found


def _constant(tensor: torch.Tensor) -> float | None:
    """The value of all elements; None where they differ, and on a GPU, where to look is to wait."""
    values = tensor.detach()
    if values.device.type != "cpu" or not values.numel() or not values.is_floating_point():
        return None
    first = values.reshape(-1)[0]
    return float(first) if bool((values == first).all()) else None


def _size(tensors: Iterable[torch.Tensor]) -> int:
    return sum(one.numel() for one in tensors)
