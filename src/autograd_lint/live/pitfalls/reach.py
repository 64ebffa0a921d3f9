"""Parameters and leaves that no gradient gets to, and where the graph above them was left."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import origin_of, place_of
from autograd_lint.live.memory import Origin
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.names import modules_at_hand, name_of
from autograd_lint.live.pitfalls.told import Told, parameters_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import geometry_of

_MOST_OF_A_SITE = 3  # cuts that are looked into
_NUMBERS = ("item", "_local_scalar_dense", "lift_fresh", "numpy")
_CONSTANTS = (
    "argmax", "argmin", "ceil", "eq", "floor", "ge", "grad", "gt", "item", "_local_scalar_dense",
    "le", "lt", "ne", "one_hot", "round", "sign", "trunc",
)  # fmt: skip
_WITHOUT_SLOPE = ("Round", "Sign", "Floor", "Ceil", "Trunc")
_LINEAR = ("Div", "Mean", "Mul", "Neg", "Sum")
_ADDING = ("Add", "Cat", "Stack", "Sub")


class Reach:
    """Knows the leaves that gradients got to, and those below a graph that was left; keeps none."""

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._reached: dict[int, ref[torch.Tensor]] = {}
        self._cuts: dict[Site, tuple[str, list[ref[torch.Tensor]], int]] = {}
        self._terms: dict[int, tuple[str, Site]] = {}  # by the number of the adding node
        self._froze: dict[int, Site] = {}
        self._too_late: dict[int, Site] = {}  # of leaves that were in a graph before
        self._at_building: dict[int, tuple[ref[torch.nn.Module], frozenset[int]]] = {}

    def cut(self, operator: str, site: Site, tensor: torch.Tensor) -> None:
        """An operator at a place leaves the graph of a tensor."""
        _, below, times = self._cuts.get(site, (operator, [], 0))
        if times >= _MOST_OF_A_SITE:
            return
        leaves = graph.leaves_in(graph.nodes_below(graph.roots_of([tensor])))
        below = [*below, *map(ref, leaves), *([ref(tensor)] if tensor.is_leaf else [])]
        self._cuts[site] = operator, below, times + 1

    def added(self, operator: str, site: Site, number: int) -> None:
        """What left its graph there is added to what has one, by the node of this number."""
        if operator in _CONSTANTS:
            self._terms[number] = operator, site

    def froze(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A leaf was told not to require grad."""
        if site is not None:
            self._froze[id(tensor)] = site

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins."""
        for leaf in walk.leaves:
            known = self._reached.setdefault(id(leaf), ref(leaf))() is leaf
            if not known:
                self._reached[id(leaf)] = ref(leaf)
            site = self._froze.get(id(leaf))
            if site is not None and not leaf.requires_grad and not self._gradients.filled(leaf):
                self._too_late[id(leaf)] = site
        if not walk.accumulates:
            return
        self._look_at_terms(walk)
        self._look_at_rebuilt(walk)
        for one in walk.inputs:
            if not _is_reached(one, walk):
                name = name_of(one, self._told.sites)
                self._told.tell(Pitfall.INPUT_UNUSED, walk.site, tensor=name)

    def at_end(self) -> None:
        """The program has run to its end, all of it seen."""
        if not self._gradients.backwards:
            return
        for leaf, site, operator in self._cut_off():
            needed = Created(place_of(site), operator)
            name = name_of(leaf, self._told.sites)
            self._told.tell(
                Pitfall.GRADIENT_CUT, site, tensor=name, operator=operator, built=needed
            )
        self._look_at_optimizers()
        self._look_at_ties()

    def _cut_off(self) -> Iterator[tuple[torch.Tensor, Site, str]]:
        """The leaves that were to be trained, lie below a cut, and never got a gradient."""
        owned = self._owned()
        for site, (operator, below, _) in self._cuts.items():
            leaves = [leaf for one in below if (leaf := one()) is not None]
            for leaf in leaves:
                if id(leaf) in self._reached or not leaf.requires_grad or leaf.grad is not None:
                    continue
                if id(leaf) in owned or (not owned and not isinstance(leaf, torch.nn.Parameter)):
                    yield leaf, site, operator
                    break
        for key, site in self._too_late.items():
            known = self._reached.get(key)
            leaf = None if known is None else known()
            if leaf is not None and not leaf.requires_grad and leaf.grad is None:
                yield leaf, site, "requires_grad_"

    def _owned(self) -> set[int]:
        steps = self._gradients.stepped()
        return {id(one) for optimizer, *_ in steps for one in parameters_of(optimizer)}

    def _look_at_optimizers(self) -> None:
        """Parameters that are trained beside those of an optimizer, and that none has."""
        owned = self._owned()
        steps = [one for one in self._gradients.stepped() if one[2]]
        if not steps:
            return
        leaves = [one for known in self._reached.values() if (one := known()) is not None]
        missing = [
            leaf
            for leaf in leaves
            if id(leaf) not in owned and leaf.grad is not None and leaf.requires_grad
        ]
        if not missing:
            return
        modules = [one for one in gc.get_objects() if issubclass(type(one), torch.nn.Module)]
        for leaf in missing:
            self._look_at_missing(leaf, modules, owned, steps[-1][1])

    def _look_at_missing(
        self,
        leaf: torch.Tensor,
        modules: list[torch.nn.Module],
        owned: set[int],
        built: Created | None,
    ) -> None:
        sites, origin = self._told.sites, origin_of(leaf, self._told.record)
        for module in modules:
            registered = list(module.parameters())
            if not any(id(one) in owned for one in registered):
                continue
            if any(one is leaf for one in registered):
                if origin is not None and self._is_newer(leaf, module):
                    name = name_of(leaf, sites)
                    self._told.tell(Pitfall.NOT_OPTIMIZED, origin.site, tensor=name, built=built)
            elif _holds_unregistered(module, leaf):
                at = origin.site if origin is not None else None
                name = name_of(leaf, sites) or type(module).__name__
                self._told.tell(Pitfall.UNREGISTERED, at, tensor=name, built=built)

    def built(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer was built: which parameters have the modules that the program holds?"""
        for module in modules_at_hand(self._told.sites):
            held = frozenset(map(id, module.parameters()))
            self._at_building[id(module)] = ref(module), held

    def _is_newer(self, leaf: torch.Tensor, module: torch.nn.Module) -> bool:
        """Whether a module got a parameter after an optimizer was built beside it."""
        known, held = self._at_building.get(id(module), (None, frozenset[int]()))
        return known is not None and known() is module and id(leaf) not in held

    def _look_at_rebuilt(self, walk: Walk) -> None:
        """All that the roots depend on was made of what had a graph before."""
        leaves = [*walk.leaves, *(one for one in walk.roots if one.is_leaf and one.requires_grad)]
        origins = [origin_of(leaf, self._told.record) for leaf in leaves]
        if not leaves or any(isinstance(leaf, torch.nn.Parameter) for leaf in leaves):
            return
        if all(one is not None and one.cut and one.cut.operator in _NUMBERS for one in origins):
            origin = origins[0]
            assert origin is not None
            built = _event(origin.cut)
            needed = Needed(place_of(walk.site), walk.name)
            self._told.tell(
                Pitfall.LOSS_REBUILT,
                origin.site,
                operator=origin.operator,
                built=built,
                needed=needed,
            )

    def _look_at_terms(self, walk: Walk) -> None:
        """Terms of the root that no gradient goes through."""
        roots = [root.grad_fn for root in walk.roots if root.grad_fn is not None]
        for node in _sum_of(roots):
            number = graph.sequence_of(node)
            operator, site = self._terms.get(-1 if number is None else number, ("", None))
            if site is not None:
                kind = Pitfall.CONSTANT_TERM
                if operator == "grad":
                    kind = Pitfall.PENALTY_WITHOUT_GRAPH
                self._told.tell(kind, site, operator=operator)

    def _look_at_ties(self) -> None:
        """Two trained parameters in one memory."""
        places: dict[tuple[Any, Any], torch.Tensor] = {}
        for known in self._reached.values():
            leaf = known()
            if leaf is None or leaf.grad is None or not isinstance(leaf, torch.nn.Parameter):
                continue
            key = storage_id(leaf), geometry_of(leaf)
            other = places.setdefault(key, leaf)
            if other is not leaf and key[0] is not None:
                origin = origin_of(leaf, self._told.record)
                name = name_of(leaf, self._told.sites)
                at = origin.site if origin is not None else None
                self._told.tell(Pitfall.TIED_APART, at, tensor=name)


def _is_reached(tensor: torch.Tensor, walk: Walk) -> bool:
    if tensor.grad_fn is not None:
        return tensor.grad_fn in walk.nodes
    return any(leaf is tensor for leaf in (*walk.leaves, *walk.roots))


def _event(origin: Origin | None) -> Created | None:
    return None if origin is None else Created(place_of(origin.site), origin.operator)


def _holds_unregistered(module: torch.nn.Module, leaf: torch.Tensor) -> bool:
    """Whether a module keeps a leaf where it does not look for parameters."""
    for part in module.modules():
        for value in vars(part).values():
            if value is leaf:
                return True
            items = value.values() if type(value) is dict else value
            if type(value) not in (list, tuple, dict):
                continue
            for one in items:
                held = one.parameters() if isinstance(one, torch.nn.Module) else (one,)
                if any(parameter is leaf for parameter in held):
                    return True
    return False


def _sum_of(roots: list[Any]) -> Iterator[Any]:
    """The nodes by which something is added to what becomes a root, scaled at most."""
    stack = list(roots)
    while stack:
        node = stack.pop()
        name = node.name().rstrip("0123456789").removesuffix("Backward")
        parts = [edge for edge, _ in node.next_functions if edge is not None]
        if name in _ADDING:
            yield node
            stack += parts
        elif name in _LINEAR and len(parts) == 1:
            stack += parts
