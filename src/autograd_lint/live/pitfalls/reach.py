"""Parameters and leaves that no gradient gets to, and where the graph above them was left."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Created, Needed, noted_at
from autograd_lint.engine.pitfalls import UNRECORDED, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.bindings import binding_in
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.failure import origin_of, place_of
from autograd_lint.live.memory import Origin
from autograd_lint.live.naming import call_at
from autograd_lint.live.origins import BOTH, DRAWN, NO_GRAD
from autograd_lint.live.pitfalls.cuts import Cuts
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import SIMPLE, all_modules, modules_at_hand, name_of
from autograd_lint.live.pitfalls.penalties import Penalties
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id, version_of
from autograd_lint.live.reading import attributes, is_a
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import geometry_of
from autograd_lint.places import Place

_AGAIN = 2  # gradients of a leaf by then that an optimizer should have
_DEEPEST = 3  # containers and objects, one in the other, that a module keeps a leaf in
_MOST_HELD = 256  # elements of one of these
_MOST_OPTIMIZERS = 8  # that are built, of which the modules beside them are looked at
_NUMBERS = ("item", "_local_scalar_dense", "lift_fresh", "numpy")
_CONSTANTS = (
    "argmax", "argmin", "ceil", "data", "eq", "floor", "ge", "grad", "gt", "item",
    "_local_scalar_dense", "le", "lt", "ne", "one_hot", "round", "sign", "trunc",
)  # fmt: skip
_DETACHING = "detach"  # which is often meant, but not where a module gives its state
_REDUCING = ("Mean", "Sum")
_LINEAR = ("Div", "Mul", "Neg", *_REDUCING)
_JOINING = ("Cat", "Stack")
_ADDING = ("Add", "Sub", *_JOINING)


class Reach(Family):
    """Knows the leaves that gradients got to, and those below a graph that was left; keeps none."""

    __slots__ = (
        "_at_building",
        "_built",
        "_cuts",
        "_gradients",
        "_penalties",
        "_plain",
        "_terms",
        "_told",
        "_wrapped",
    )

    def __init__(self, told: Told, gradients: Gradients, cuts: Cuts, penalties: Penalties) -> None:
        self._told = told
        self._gradients = gradients
        self._cuts = cuts
        self._penalties = penalties
        self._terms: dict[int, tuple[str, Site]] = {}  # by the number of the adding node
        self._wrapped: dict[int, tuple[ref[torch.Tensor], Site]] = {}
        self._plain: dict[int, _Plain] = {}
        self._built = 0
        self._at_building: dict[int, tuple[ref[torch.nn.Module], frozenset[int]]] = {}

    def wrapped(self, parameter: torch.Tensor, data: torch.Tensor, site: Site) -> None:
        """A parameter was made of a tensor."""
        self._wrapped.pop(id(parameter), None)
        self._wrapped[id(parameter)] = ref(parameter), site
        if graph.node_of(data) is not None and torch.is_grad_enabled():
            self._cuts.cut("Parameter", site, data)

    def added(self, operator: str, site: Site, number: int) -> None:
        """What left its graph there is added to what has one, by the node of this number."""
        if operator in _CONSTANTS or operator in (BOTH, NO_GRAD, _DETACHING, DRAWN):
            self._terms[number] = operator, site

    def look(self, walk: Walk) -> None:
        """A call of the engine begins that is looked at closely."""
        if not walk.accumulates:
            return
        for known in self._plain.values():
            known.look()
        self._look_at_terms(walk)
        self._look_at_rebuilt(walk)
        for one in walk.inputs:
            if not _is_reached(one, walk):
                name = name_of(one, self._told.sites)
                self._told.tell(Pitfall.INPUT_UNUSED, walk.site, tensor=name)

    def settled(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped some times: which parameters should it have?"""
        self._look_at_optimizers(least=_AGAIN)

    def trained(self) -> None:
        """The program has run to its end: the same of what got one gradient."""
        self._look_at_optimizers()
        self._tell_of_plain()

    def _look_at_optimizers(self, least: int = 0) -> None:
        """Parameters that are trained beside those of an optimizer, and that none has: their
        gradients were filled `least` times."""
        self._look_at_ties()
        built = self._gradients.latest_built()
        known = (leaf for leaf in self._gradients.leaves() if leaf.backwards >= least)
        missing = [tensor for leaf in known if (tensor := _left_out(leaf)) is not None]
        if built is None or not missing:
            return
        owned = {id(leaf.tensor()) for leaf in self._gradients.leaves() if leaf.owned}
        modules = all_modules()
        for tensor in missing:
            self._look_at_missing(tensor, modules, owned, built)
            self._look_at_plain(tensor, modules)

    def _look_at_missing(
        self,
        leaf: torch.Tensor,
        modules: list[torch.nn.Module],
        owned: set[int],
        built: Created | None,
    ) -> None:
        sites, made = self._told.sites, self._maker(leaf)
        for module in modules:
            registered = list(module.parameters())
            if not any(id(one) in owned for one in registered):
                continue
            if any(one is leaf for one in registered):
                if self._is_newer(leaf, module):
                    name = name_of(leaf, sites)
                    self._told.tell(Pitfall.NOT_OPTIMIZED, made, tensor=name, built=built)
            elif (holder := _holder_in(module, leaf)) is not None:
                if isinstance(leaf, torch.nn.Parameter) or not holder.is_tensor:
                    self._tell_unregistered(leaf, holder)
                else:
                    self._follow(leaf, holder)

    def _look_at_plain(self, leaf: torch.Tensor, modules: list[torch.nn.Module]) -> None:
        """A plain tensor that a module of no optimizer has as an attribute: it may be moved yet."""
        if isinstance(leaf, torch.nn.Parameter) or id(leaf) in self._plain:
            return
        for module in modules:
            for name, value in vars(module).items():
                if value is leaf:
                    self._follow(leaf, _Holder(type(module), name, is_tensor=True))

    def _follow(self, leaf: torch.Tensor, holder: _Holder) -> None:
        if id(leaf) not in self._plain:
            known = self._gradients.leaf(leaf)
            self._plain[id(leaf)] = _Plain(known, holder, digest(leaf), version_of(leaf))

    def _tell_of_plain(self) -> None:
        """Which of these has nobody moved, cleared, or given to an optimizer?"""
        for known in self._plain.values():
            known.look()
            if not (known.is_moved or known.leaf.owned):
                self._tell_unregistered(known.leaf.tensor(), known.holder)

    def _tell_unregistered(self, leaf: torch.Tensor | None, holder: _Holder) -> None:
        """The statement that holds what is not registered, or what made that."""
        made = self._maker(leaf) if leaf is not None else None
        held = _where_held(holder)
        origin = place_of(made)
        self._told.tell(
            Pitfall.UNREGISTERED,
            held or made,
            tensor=f"self.{holder.attribute}" if held or leaf is None else self._name(leaf),
            operator="tensor" if holder.is_tensor else "",
            noted=noted_at(origin if held else None, "made here"),
        )

    def _name(self, leaf: torch.Tensor) -> str | None:
        return name_of(leaf, self._told.sites)

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built: which parameters have the modules that the program holds?"""
        self._built += 1
        if self._built > _MOST_OPTIMIZERS:
            self._at_building.clear()
            return
        for module in modules_at_hand(self._told.sites):
            parameters = frozenset(map(id, module.parameters()))
            self._at_building[id(module)] = ref(module), parameters

    def _is_newer(self, leaf: torch.Tensor, module: torch.nn.Module) -> bool:
        """Whether a module got a parameter after an optimizer was built beside it."""
        known, held = self._at_building.get(id(module), (None, frozenset[int]()))
        return known is not None and known() is module and id(leaf) not in held

    def _look_at_rebuilt(self, walk: Walk) -> None:
        """All that the roots depend on was made of what had a graph before."""
        leaves = [*walk.leaves, *(one for one in walk.roots if one.is_leaf and one.requires_grad)]
        if not leaves or any(isinstance(leaf, torch.nn.Parameter) for leaf in leaves):
            return
        origins = [origin_of(leaf, self._told.record) for leaf in leaves]
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
        roots = [(one.grad_fn, one.dim() == 0) for one in walk.roots if one.grad_fn is not None]
        for node, is_one in _sum_of(roots):
            number = graph.sequence_of(node)
            operator, site = self._terms.get(-1 if number is None else number, ("", None))
            if site is None:
                continue
            if operator == NO_GRAD:
                self._look_at_unrecorded(site)
            elif operator == DRAWN:
                self._look_at_drawn(site, walk)
            elif operator == BOTH:
                self._told.tell(Pitfall.CONSTANT_TERM, site, operator=_DETACHING)
            elif operator == "grad" and not self._cuts.leaves_data(site, walk):
                self._told.tell(Pitfall.PENALTY_WITHOUT_GRAPH, site, operator=operator)
            elif operator not in (_DETACHING, "grad"):
                self._told.tell(Pitfall.CONSTANT_TERM, site, operator=operator)
            elif operator == _DETACHING and is_one and self._is_compared(site):
                self._told.tell(Pitfall.CONSTANT_TERM, site, operator=_DETACHING)
            elif _calls(site, "state_dict"):
                self._told.tell(Pitfall.CONSTANT_TERM, site, operator="state_dict")

    def _is_compared(self, site: Site) -> bool:
        """Whether a term of a loss is one number that was computed of many which were detached:
        one that is detached itself may be there to be shown with the loss."""
        if self._penalties.is_cut(site):
            return False  # which is told as one
        return not self._cuts.is_number(site) and self._cuts.leaves_trained(site)

    def _look_at_drawn(self, site: Site, walk: Walk) -> None:
        """A term of a root is what a layer makes of a sample: is that from `sample()`?"""
        if _calls(site, "sample"):
            needed = Needed(place_of(walk.site), walk.name)
            self._told.tell(Pitfall.SAMPLE_WITHOUT_GRADIENT, site, operator=DRAWN, needed=needed)

    def _look_at_unrecorded(self, site: Site) -> None:
        """A term of a root is a number that was computed with grad mode off."""
        self._cuts.is_term(site)
        if self._cuts.leaves_trained(site):
            self._told.tell(
                Pitfall.CONSTANT_TERM,
                site,
                operator=NO_GRAD,
                detail=UNRECORDED,
                noted=self._cuts.switched_off(site),
            )

    def _look_at_ties(self) -> None:
        """Two trained parameters in one memory."""
        places: dict[tuple[Any, Any], torch.Tensor] = {}
        for known in self._gradients.leaves():
            leaf = known.tensor()
            if leaf is None or leaf.grad is None or not (known.reached and known.is_parameter):
                continue
            key = storage_id(leaf), geometry_of(leaf)
            other = places.setdefault(key, leaf)
            if other is not leaf and key[0] is not None:
                younger, older = self._by_age(leaf, other)
                name = name_of(older, self._told.sites)
                self._told.tell(Pitfall.TIED_APART, self._maker(younger), tensor=name)

    def _by_age(self, one: torch.Tensor, other: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Two parameters, the one that was made later first."""
        ages = {key: age for age, key in enumerate(self._wrapped)}
        later = ages.get(id(one), -1) >= ages.get(id(other), -1)
        return (one, other) if later else (other, one)

    def _maker(self, leaf: torch.Tensor) -> Site | None:
        """Where a leaf was made: by `Parameter`, or by what made its memory."""
        known, site = self._wrapped.get(id(leaf), (None, None))
        origin = origin_of(leaf, self._told.record)
        if known is not None and known() is leaf:
            return site
        return origin.site if origin is not None else None


def _left_out(leaf: Leaf) -> torch.Tensor | None:
    """A leaf that got a gradient, and that no optimizer has; None for others."""
    tensor = leaf.tensor() if leaf.reached and not leaf.owned else None
    return tensor if tensor is not None and tensor.requires_grad and tensor.is_leaf else None


def _is_reached(tensor: torch.Tensor, walk: Walk) -> bool:
    if tensor.grad_fn is not None:
        return tensor.grad_fn in walk.nodes
    return any(leaf is tensor for leaf in (*walk.leaves, *walk.roots))


def _event(origin: Origin | None) -> Created | None:
    return None if origin is None else Created(place_of(origin.site), origin.operator)


@dataclass(frozen=True)
class _Holder:
    """An attribute of a module of this class that keeps a leaf without registering it."""

    owner: type
    attribute: str
    is_tensor: bool


@dataclass(slots=True)
class _Plain:
    """A leaf that is an attribute of a module, and its values by then; whether it was found with
    others, or its gradient was cleared, as long as it was there."""

    leaf: Leaf
    holder: _Holder
    values: Digest | None
    version: int | None
    is_moved: bool = False

    def look(self) -> None:
        """Is it as it was?"""
        leaf = self.leaf.tensor()
        if leaf is not None:
            is_left = self.leaf.is_waiting and version_of(leaf) == self.version
            self.is_moved |= not is_left or differ(digest(leaf), self.values)


def _holder_in(module: torch.nn.Module, leaf: torch.Tensor) -> _Holder | None:
    """What keeps a leaf in a module, or in a part of it, without registering it."""
    for part in module.modules():
        for name, value in vars(part).items():
            if _holds(value, leaf, _DEEPEST):
                return _Holder(type(part), name, isinstance(value, torch.Tensor))
    return None


def _holds(value: object, leaf: torch.Tensor, deepest: int, *, hidden: bool = False) -> bool:
    """Whether a value is a leaf, a module that has it, or leads to it by containers and objects.
    A module in evaluation mode in a `hidden` place, an object that is no module, is meant to be."""
    if isinstance(value, torch.Tensor):
        return value is leaf or _is_made_of(value, leaf)
    if is_a(value, torch.nn.Module):
        is_meant = deepest == _DEEPEST or (hidden and not value.training)
        return not is_meant and any(one is leaf for one in value.parameters())
    held: Iterable[object] = ()
    if type(value) is dict:
        held = value.values()
    elif type(value) in (list, tuple):
        held = cast("Iterable[object]", value)
    elif deepest and type(value) not in SIMPLE:
        held, hidden = attributes(value).values(), True
    few = list(islice(held, _MOST_HELD)) if deepest else []
    return any(_holds(one, leaf, deepest - 1, hidden=hidden) for one in few)


def _calls(site: Site, method: str) -> bool:
    """Whether a method of this name is called at a site."""
    call = call_at(site.place)
    function = call.func if call is not None else None
    return isinstance(function, ast.Attribute) and function.attr == method


def _where_held(holder: _Holder) -> Place | None:
    """Where the class assigns the attribute, if that is found in its source."""
    code = getattr(vars(holder.owner).get("__init__"), "__code__", None)
    if code is None or not code.co_argcount:
        return None
    return binding_in(code, f"{code.co_varnames[0]}.{holder.attribute}")


def _is_made_of(value: object, leaf: torch.Tensor) -> bool:
    """Whether a value is a tensor that was computed from a leaf, and from nothing else."""
    node = graph.node_of(value) if isinstance(value, torch.Tensor) else None
    found = graph.leaves_in(graph.nodes_below([node])) if node is not None else []
    return len(found) == 1 and found[0] is leaf


def _sum_of(roots: list[tuple[Any, bool]]) -> Iterator[tuple[Any, bool]]:
    """The nodes by which something is added to what becomes a root, scaled at most; with each,
    whether it gives a single number, as its root is one and nothing is summed up in between."""
    stack = list(roots)
    while stack:
        node, is_one = stack.pop()
        name = graph.name_of(node).rstrip("0123456789").removesuffix("Backward")
        parts = graph.edges_of(node)
        if name in _ADDING:
            yield node, is_one
            stack += ((part, is_one and name not in _JOINING) for part in parts)
        elif name in _LINEAR and len(parts) == 1:
            stack += ((part, is_one and name not in _REDUCING) for part in parts)
