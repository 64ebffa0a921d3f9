"""What was taken of a parameter without a copy, and is used as if a step had not moved it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import ref

import torch

from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.pitfalls import KEPT_ONLY, LENT, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.running_frames import is_running_any
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import are_same_elements

_MOST = 256  # aliases that are remembered
_AGAIN = 2  # steps after each of which an entry of a state is given what it holds
_STATE = "state_dict"


@dataclass(slots=True)
class _Alias:
    """A tensor in the memory of a parameter: what took it, where and as the how manyth event, as
    which entry of a state, the step that moved both, how often the program has given it what it
    held already, and where the program has written to it first."""

    tensor: ref[torch.Tensor]
    leaf: ref[torch.Tensor]
    operator: str
    site: Site
    taken: int
    entry: str = ""
    moved: Site | None = None
    same: int = 0
    written: Site | None = None


class _Lent(NamedTuple):
    """A parameter that was written by an entry of its module's state, where that is; another module
    was given the state then, somewhere, as the how manyth event: what a step is not to start from.
    """

    leaf: ref[torch.Tensor]
    alias: Site
    written: Site
    given: Site
    event: int


class Aliases(Family):
    """Knows what lies in the memory of parameters; keeps nothing alive."""

    __slots__ = ("_events", "_known", "_lent", "_memories", "_read", "_told", "_written")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._known: dict[int, _Alias] = {}
        self._events = 0
        self._memories: set[int | None] = set()  # in which there is one, or was
        self._written: dict[int, tuple[int, Site]] = {}  # by the memory of a parameter
        self._lent: dict[int, _Lent] = {}  # by the parameter
        self._read: dict[tuple[Site, int], _Alias] = {}  # the first that an operator was given

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """`detach()` or `.data` of a leaf has given an alias."""
        if len(self._known) >= _MOST:
            self._forget_dead()
        if len(self._known) < _MOST:
            by = _STATE if _saves_state() else operator
            self._events += 1
            self._memories.add(storage_id(leaf))
            self._known[id(alias)] = _Alias(ref(alias), ref(leaf), by, site, self._events)

    def saved(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module has given its state, perhaps while no operator was observed."""
        for name, alias, leaf in _shared(module, state) if site is not None else ():
            known = self._known.get(id(alias))
            if site is not None and (known is None or known.tensor() is not alias):
                self._known.pop(id(alias), None)
                self.took(site, alias, leaf, _STATE)
                known = self._known.get(id(alias))
            if known is not None:
                known.operator, known.entry = _STATE, name

    def loading(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module is about to load a state: its own, from before a step?"""
        for _, alias, _ in _shared(module, state) if self._known else ():
            known = self._known.get(id(alias))
            if known is not None and known.tensor() is alias and known.moved is not None:
                self._tell(known, site, known.moved)
        self._lend(module, state, site)

    def _lend(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module gets a state: into which of its entries has the program written that are
        parameters of another one? Its own are others from now on."""
        own = {id(one) for one in module.parameters()}
        self._lent = {key: one for key, one in self._lent.items() if key not in own}
        for entry in state.values() if site is not None and self._written else ():
            alias = self._known.get(id(entry))
            leaf = alias.leaf() if alias is not None and alias.tensor() is entry else None
            if alias is None or leaf is None or id(leaf) in own or not alias.entry:
                continue
            if alias.written is not None and site is not None:
                lent = _Lent(ref(leaf), alias.site, alias.written, site, self._events)
                self._lent[id(leaf)] = lent

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program itself has written to a tensor: to a parameter, or its memory?"""
        storage = storage_id(tensor) if self._memories else None
        if storage is not None and storage in self._memories:
            self._events += 1
            self._written[storage] = self._events, site
            alias = self._known.get(id(tensor))
            if alias is not None and alias.tensor() is tensor:
                alias.taken = self._events  # what is written by it, it is to hold
                alias.written = alias.written or site
            self._told.record.told_use[Aliases] = self._used

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins; unless `closely`, nobody has seen who wrote to what."""
        if not walk.closely:
            self._lent.clear()

    def before_step(self, step: Step) -> None:
        """A step is about to move these: does it start from what was meant for another module?"""
        for tensor in step.held if self._lent else ():
            lent = self._lent.pop(id(tensor), None)
            written, _ = self._written.get(storage_id(tensor) or 0, (0, None))
            if lent is not None and lent.leaf() is tensor and written <= lent.event:
                self._told.tell(
                    Pitfall.STATE_OVERWRITTEN,
                    lent.alias,
                    detail=LENT,
                    modified=Modified(lent.written.place, "write", None, 0),
                    needed=Needed(lent.given.place, "use"),
                )

    def after_step(self, optimizer: torch.optim.Optimizer) -> None:
        """A step has moved the parameters of an optimizer."""
        if not self._known:
            return
        held, site = set(map(id, parameters_of(optimizer))), self._told.here()
        self._forget_dead()
        for one in self._known.values():
            leaf = one.leaf()
            if leaf is not None and id(leaf) in held:
                one.moved = one.moved or site
                self._told.record.told_use[Aliases] = self._used

    def _forget_dead(self) -> None:
        self._known = {key: one for key, one in self._known.items() if one.tensor() is not None}

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: an alias from before a step, and what that has moved?"""
        tensors = tensors_in(given)
        for tensor in tensors if not writes else ():
            self._look_at_series(tensor, site)
        for tensor in tensors if len(tensors) > 1 else ():
            alias = self._known.get(id(tensor))
            if alias is None or alias.tensor() is not tensor:
                continue
            moved = alias.moved or (
                self._overwritten(alias, tensor) if operator == "copy_" else None
            )
            if moved and any(
                are_same_elements(one, tensor) for one in tensors if one is not tensor
            ):
                self._tell(alias, site, moved)
            elif alias.entry and operator == "copy_" and tensor is tensors[0]:
                self._look_at_copied(alias, tensor, tensors[1], site)

    def _look_at_series(self, tensor: torch.Tensor, site: Site | None) -> None:
        """Is one of several that were taken of a parameter at one place read where another one was
        read, which a step has moved meanwhile, as if they were different?"""
        alias = self._known.get(id(tensor))
        if alias is None or alias.tensor() is not tensor or site is None:
            return
        key = site, id(alias.leaf())
        before = self._read.get(key)
        if before is None or before.tensor() is None:
            if alias.moved is not None:
                self._read[key] = alias
        elif before is not alias and before.site is alias.site and before.moved is not None:
            self._tell(before, site, before.moved)

    def _look_at_copied(
        self, alias: _Alias, tensor: torch.Tensor, given: torch.Tensor, site: Site | None
    ) -> None:
        """A kept entry of a state is given what was computed: again and again what it holds, for
        it was moved by a step together with what that was computed of?"""
        leaf, moved = alias.leaf(), alias.moved
        is_seen = tensor.device.type == "cpu" and tensor.shape == given.shape
        if leaf is None or moved is None or not is_seen:
            return
        is_same = self._has_later(alias) and torch.allclose(tensor, given.to(tensor.dtype))
        alias.same = alias.same + 1 if is_same else 0
        alias.moved = None
        if alias.same == _AGAIN:
            name = name_of(leaf, self._told.sites) or ""
            self._told.tell(
                Pitfall.STATE_OVERWRITTEN,
                alias.site,
                operator=name.removesuffix(f".{alias.entry}"),
                detail=KEPT_ONLY,
                modified=stepped(moved),
                needed=Needed(place_of(site), "use"),
            )

    def _has_later(self, alias: _Alias) -> bool:
        """Whether the program has asked for the same entry once more, and has that still."""
        leaf, taken = alias.leaf(), alias.taken
        later = (one for one in self._known.values() if one.entry and one.taken > taken)
        return any(one.leaf() is leaf and one.tensor() is not None for one in later)

    def _overwritten(self, alias: _Alias, tensor: torch.Tensor) -> Site | None:
        """Where the program has written to the memory of an alias after that was taken."""
        written, site = self._written.get(storage_id(tensor) or 0, (0, None))
        return site if written > alias.taken else None

    def _tell(self, alias: _Alias, site: Site | None, moved: Site) -> None:
        needed = Needed(place_of(site), "use")
        if alias.operator == _STATE:
            self._told.tell(
                Pitfall.STATE_OVERWRITTEN, alias.site, modified=stepped(moved), needed=needed
            )
            return
        built = Created(place_of(alias.site), alias.operator)
        self._told.tell(
            Pitfall.SNAPSHOT_OVERWRITTEN,
            moved,
            operator=alias.operator,
            built=built,
            needed=needed,
        )


def _shared(
    module: torch.nn.Module, state: Mapping[str, Any]
) -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
    """The entries of a state that lie in the memory of the parameter of that name, with both."""
    for name, parameter in module.named_parameters():
        held = state.get(name)
        if isinstance(held, torch.Tensor) and are_same_elements(held, parameter):
            yield name, held, parameter


def _saves_state() -> bool:
    """Whether a module writes out its state."""
    return is_running_any({torch.nn.Module._save_to_state_dict.__code__})
