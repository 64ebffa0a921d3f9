"""Leaves that were to be trained and lie below a place where their graph was left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import CodeType

import torch

from autograd_lint.engine.events import Created, Noted
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.bindings import is_unconditional
from autograd_lint.live.failure import origin_of, place_of, switched_off
from autograd_lint.live.origins import NO_GRAD
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, sum_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site

_COPY = 2  # nodes of a parameter that was copied: what it is accumulated by, and the copy
_COPYING = frozenset({"accumulate_grad", "alias", "clone", "t", "to_copy", "transpose", "view"})
_READING = frozenset({"_local_scalar_dense", "data", "eq", "ge", "gt", "le", "lt", "ne"})  # values
_INDICES = frozenset({"argmax", "argmin", "argsort", "nonzero", "sort", "topk"})
_DRAWING = frozenset({"normal_", "uniform_"})
_INITIALISING = _DRAWING | {"add_", "clamp_", "div_", "erfinv_", "fill_", "mul_", "sub_", "zero_"}
_MOST_OF_A_SITE = 3  # cuts that are looked into


@dataclass(slots=True)
class _Cut:
    """An operator that leaves a graph: whether grad mode was on, the leaves below (each with
    whether anything was computed with it), how often, whether what it gave is in a graph, as a term
    of a sum perhaps, and whether that is a leaf itself to which a gradient got. `layer` are the
    parameters that were applied without grad mode to what had a graph, `value` a sum of theirs,
    `off` what had switched grad mode off, `is_number` that it was left for a single number.
    `is_term` says that a number that was computed of it is a term of a root of backward. `drawn`
    are the leaves that nothing but random numbers had been written to, each with its sum."""

    operator: str
    enabled: bool
    below: list[tuple[Leaf, bool]] = field(default_factory=list)
    times: int = 0
    is_used: bool = False
    is_added: bool = False
    is_term: bool = False
    off: Site | CodeType | None = None
    gives_leaf: bool = False
    is_number: bool = False
    layer: list[Leaf] = field(default_factory=list)
    value: float = 0.0
    drawn: list[tuple[Leaf, float]] = field(default_factory=list)

    @property
    def never_given_values(self) -> list[Leaf]:
        """The leaves that still hold the random numbers that they began with."""
        return [leaf for leaf, value in self.drawn if _sum([leaf]) == value]


class Cuts(Family):
    """Knows the leaves below a graph that was left; keeps none alive."""

    __slots__ = ("_cuts", "_froze", "_gradients", "_told", "_too_late", "_trainers")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._cuts: dict[Site, _Cut] = {}
        self._froze: dict[int, Site] = {}
        self._trainers: set[CodeType] = set()  # the functions that call backward
        self._too_late: dict[Site, Leaf] = {}  # of leaves that were in a graph before

    def cut(self, operator: str, site: Site, tensor: torch.Tensor) -> None:
        """An operator at a place leaves the graph of a tensor."""
        cut = self._cuts.get(site)
        if cut is None:
            cut = self._cuts[site] = _Cut(operator, torch.is_grad_enabled())
            watcher = self._told.record.watcher
            cut.is_number = tensor.dim() == 0
            cut.off = watcher.off() if watcher is not None and not cut.enabled else None
        if cut.times >= _MOST_OF_A_SITE:
            return
        if tensor.is_leaf and tensor._base is not None:
            return  # a view that was taken without grad mode: there its graph was left
        nodes = graph.nodes_below(graph.roots_of([tensor]))
        leaves = graph.leaves_in(nodes) + ([tensor] if tensor.is_leaf else [])
        found = [self._gradients.leaf(leaf) for leaf in leaves]
        is_computed = len(nodes) > _COPY or (operator == "Parameter" and not _is_copy(nodes))
        cut.below += [(leaf, is_computed) for leaf in found]
        cut.times += 1
        if tensor.is_leaf and not (cut.enabled or cut.drawn) and self._is_drawn(tensor):
            cut.drawn = [(self._gradients.leaf(tensor), sum_of([tensor]))]
        if is_computed and not cut.enabled and operator in graph.PRODUCTS and not cut.layer:
            self._look_at_layer(cut)

    def _is_drawn(self, leaf: torch.Tensor) -> bool:
        """Whether a leaf is known to hold random numbers, and was given no other values since."""
        written = {one.operator for one in self._told.record.writes.to(storage_id(leaf) or 0)}
        return not written.isdisjoint(_DRAWING) and written <= _INITIALISING

    def _look_at_layer(self, cut: _Cut) -> None:
        """Which parameters are applied without grad mode to what has a graph?"""
        cut.layer = [leaf for leaf, is_computed in cut.below if not is_computed]
        cut.value = _sum(cut.layer)

    def added(self, operator: str, site: Site, number: int) -> None:
        """What an operator there has given is a term of a sum with a graph."""
        cut = self._cuts.get(site)
        if cut is not None:
            cut.is_added = True

    def is_term(self, site: Site) -> None:
        """A number that was computed of what an operator there has given is a term of a root."""
        cut = self._cuts.get(site)
        if cut is not None:
            cut.is_term = True

    def leaves_trained(self, site: Site) -> bool:
        """Whether an operator there leaves a graph of what optimizers have, which is more than a
        leaf itself."""
        cut = self._cuts.get(site)
        return cut is not None and any(leaf.owned and computed for leaf, computed in cut.below)

    def below(self, site: Site) -> list[Leaf]:
        """The leaves below what was left there."""
        cut = self._cuts.get(site)
        return [leaf for leaf, _ in cut.below] if cut is not None else []

    def is_number(self, site: Site) -> bool:
        """Whether the graph of a single number was left there, as far as that is known."""
        cut = self._cuts.get(site)
        return cut is None or cut.is_number

    def leaves_data(self, site: Site, walk: Walk) -> bool:
        """Whether a graph is known to be left there that no parameter has a part in, nor, where no
        optimizer has anything, a plain leaf that this call gets to by another way."""
        cut = self._cuts.get(site)
        if cut is None or not cut.times:
            return False
        below = [leaf for leaf, _ in cut.below]
        by_hand = walk.leaves if not self._gradients.owned() else ()
        reached = set(map(id, by_hand))
        is_trained = any(id(leaf.tensor()) in reached for leaf in below)
        return not (is_trained or any(leaf.is_parameter or leaf.owned for leaf in below))

    def used(self, site: Site, operator: str) -> None:
        """What an operator there has given is in a graph, and not as a term of a sum."""
        cut = self._cuts.get(site)
        if cut is not None:
            cut.is_used = True

    def froze(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A leaf was told not to require grad."""
        if site is not None:
            self._froze[id(tensor)] = site

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: gradients get to its leaves."""
        if walk.site is not None:
            self._trainers.add(walk.site.code)
        for tensor in walk.leaves if self._froze else ():
            leaf, site = self._gradients.leaf(tensor), self._froze.get(id(tensor))
            if site is not None and not tensor.requires_grad and not leaf.backwards:
                self._too_late[site] = leaf

    def look(self, walk: Walk) -> None:
        """A call begins that is looked at closely: which leaves begin where a graph was left, and
        what does it leave behind itself?"""
        if walk.site is not None and not (walk.accumulates or walk.creates):
            self._leaves_behind(walk.site, walk)
        for leaf in walk.leaves:
            origin = origin_of(leaf, self._told.record)
            left = origin.cut if origin is not None else None
            cut = self._cuts.get(left.site) if left is not None and left.site else None
            if cut is not None:
                cut.gives_leaf = True

    def _leaves_behind(self, site: Site, walk: Walk) -> None:
        """Gradients without a graph: the leaves that nobody has asked for get none by them."""
        asked = {id(leaf) for leaf in walk.asked}
        cut = self._cuts.setdefault(site, _Cut("grad", enabled=True))
        if cut.times < _MOST_OF_A_SITE:
            left = (leaf for leaf in walk.leaves if id(leaf) not in asked)
            cut.below += [(self._gradients.leaf(leaf), True) for leaf in left]
            cut.times += 1

    def trained(self) -> None:
        """The program has run to its end, all of it seen."""
        found = list(self._cut_off())
        for at, (leaf, site, operator) in enumerate(found):
            behind = (other for one, _, other in found[at + 1 :] if one is leaf)
            if operator in _INDICES and any(other not in _INDICES for other in behind):
                continue  # what is picked by the indices has left its graph as well
            built = Created(place_of(site), operator)
            tensor = leaf.tensor()
            name = leaf.name or (tensor is not None and name_of(tensor, self._told.sites)) or None
            noted = self.switched_off(site) if operator == NO_GRAD else ()
            self._told.tell(
                Pitfall.GRADIENT_CUT,
                site,
                tensor=name,
                operator=operator,
                built=built,
                noted=noted,
            )

    def switched_off(self, site: Site) -> tuple[Noted, ...]:
        """What had switched grad mode off where an operator leaves a graph, if that is known."""
        cut = self._cuts.get(site)
        return () if cut is None else switched_off(cut.off)

    def _is_always_off(self, off: Site | CodeType | None) -> bool:
        """Whether grad mode is switched off in every forward, or in every step of a training: a
        function of another name may only be called for a while."""
        code = off.code if isinstance(off, Site) else off
        is_run = code is not None and (code.co_name == "forward" or code in self._trainers)
        return is_run and is_unconditional(off)

    def _cut_off(self) -> Iterator[tuple[Leaf, Site, str]]:
        """The leaves that were to be trained, lie below a cut, and never got a gradient."""
        stepped = self._gradients.have_stepped()
        for site, cut in self._cuts.items():
            for leaf, is_computed in cut.below:
                in_vain = leaf.stepped and cut.enabled and _is_in_vain(cut, is_computed)
                is_asked = not (stepped or leaf.is_parameter or cut.gives_leaf)
                wanted = in_vain or (is_asked and leaf.tensor() is not None)
                if wanted and _is_without_gradient(leaf) and not _is_trained(leaf, cut):
                    yield leaf, site, cut.operator
                    break
            if cut.is_term and not cut.enabled:
                yield from ((leaf, site, NO_GRAD) for leaf in _never_trained(cut))
            layer = [leaf for leaf in cut.layer if leaf.stepped and leaf.is_parameter]
            is_in_loss = (cut.is_used or cut.is_added) and _sum(cut.layer) == cut.value
            if layer and is_in_loss and not any(leaf.reached for leaf in cut.layer):
                yield layer[0], site, NO_GRAD
            else:
                yield from ((leaf, site, NO_GRAD) for leaf in self._left_alone(cut)[:1])
        for site, leaf in self._too_late.items():
            tensor = leaf.tensor()
            if not leaf.backwards and (tensor is None or not tensor.requires_grad):
                yield leaf, site, "requires_grad_"

    def _left_alone(self, cut: _Cut) -> list[Leaf]:
        """The leaves of optimizers that no gradient got to, though they are to be trained: the
        program has said so, or they are no use as they are."""
        is_always = self._is_always_off(cut.off)
        wanted = [leaf for leaf, _ in cut.below if leaf.is_wanted] if is_always else []
        is_in_loss = isinstance(cut.off, CodeType) and (cut.is_used or cut.is_added)
        drawn = cut.never_given_values if is_always or is_in_loss else []
        return [leaf for leaf in (*wanted, *drawn) if _is_left_alone(leaf)]


def _never_trained(cut: _Cut) -> list[Leaf]:
    """The first parameter below a cut that an optimizer steps with, if no gradient got to it."""
    below = (leaf for leaf, _ in cut.below if leaf.stepped and leaf.is_parameter)
    return [leaf for leaf in islice(below, 1) if not leaf.reached and _is_without_gradient(leaf)]


def _sum(leaves: list[Leaf]) -> float:
    tensors = (leaf.tensor() for leaf in leaves)
    return sum_of(one for one in tensors if one is not None)


def _is_in_vain(cut: _Cut, is_computed: bool) -> bool:
    """Whether a leaf below a cut was to be trained by what the cut gave: what is computed without
    grad mode, and what is detached itself, is meant to stay."""
    return is_computed or (cut.is_used and cut.operator in _READING)


def _is_trained(leaf: Leaf, cut: _Cut) -> bool:
    """Whether a gradient got to a leaf: one that was handed out trains none that other leaves
    were made of."""
    if cut.is_used and cut.operator == "data":
        return leaf.backwards > 0 or leaf.moved
    return leaf.reached


def _is_left_alone(leaf: Leaf) -> bool:
    """Whether no gradient got to a leaf that an optimizer steps with."""
    return leaf.stepped and not (leaf.reached or leaf.moved) and _is_without_gradient(leaf)


def _is_copy(nodes: list[object]) -> bool:
    """Whether a graph only copies its leaf."""
    return all(graph.operator_of(one) in _COPYING for one in nodes)


def _is_without_gradient(leaf: Leaf) -> bool:
    tensor = leaf.tensor()
    return tensor is None or (tensor.requires_grad and tensor.grad is None)
