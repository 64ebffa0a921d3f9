"""States of several times that are put together and are one memory, for none was copied.

states.append(torch.from_numpy(observation))     # the environment overwrites its array
history.append([p.data for p in model.parameters()])
...
torch.stack(states)                              # the latest one again and again
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import ref

import torch

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import SEVERAL, Pitfall
from autograd_lint.live.bindings import changes_of
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.failure import place_of
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id, version_of
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import are_same_elements
from autograd_lint.places import Place

_OPERATORS = ("cat", "stack")
_LEAST = 3  # arrays that are put together
_MOST = 1024  # aliases that are remembered


@dataclass(slots=True)
class _Alias:
    """What lies in the memory of a leaf, the version that this had then, and where it was taken."""

    tensor: ref[torch.Tensor]
    version: int | None
    site: Site


class Stacked(Family):
    """Looks at what is stacked: aliases of a leaf from before and after its steps, and arrays that
    were made a tensor several times, where others were in the same memory the last time."""

    __slots__ = ("_aliases", "_held", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._aliases: dict[int, _Alias] = {}
        self._held: dict[Site, Digest | None] = {}  # by the memory that is stacked there
        for operator in _OPERATORS:
            told.record.told_of.setdefault(operator, []).append(self._used)

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator has given an alias of a leaf, without its graph."""
        self._aliases.pop(id(alias), None)
        if len(self._aliases) >= _MOST:
            del self._aliases[next(iter(self._aliases))]
        self._aliases[id(alias)] = _Alias(ref(alias), version_of(leaf), site)

    def _used(
        self, given: tuple[object, ...], site: Site | None, _: str, /, *, writes: bool
    ) -> None:
        """These are put together: are they one memory?"""
        tensors = tensors_in(given[:1])
        if site is None or len(tensors) < 2 or tensors[0] is tensors[1]:
            return
        if are_same_elements(tensors[0], tensors[1]):
            self._look_at_aliases(tensors, site)
        elif len(tensors) >= _LEAST and _are_one_array(tensors):
            held = digest(tensors[0])
            before = self._held.setdefault(site, held)
            if differ(before, held):
                place = _filling(site) or site.place
                self._tell(place, None, site)

    def _look_at_aliases(self, tensors: list[torch.Tensor], site: Site) -> None:
        known = [one for tensor in tensors if (one := self._alias(tensor)) is not None]
        if len(known) > 1 and known[0].version != known[-1].version:
            self._tell(known[0].site.place, known[0].site, site)

    def _alias(self, tensor: torch.Tensor) -> _Alias | None:
        known = self._aliases.get(id(tensor))
        return known if known is not None and known.tensor() is tensor else None

    def _tell(self, place: Place, taken: Site | None, site: Site) -> None:
        self._told.tell(
            Pitfall.STATE_OVERWRITTEN,
            place,
            detail=SEVERAL,
            built=None if taken is None else Created(place_of(taken), "data"),
            needed=Needed(site.place, "use"),
        )


def _are_one_array(tensors: list[torch.Tensor]) -> bool:
    """Whether all lie at one address, each in a storage of its own: that of an array of NumPy."""
    storages = {storage_id(one) for one in tensors}
    return len(storages) == len(tensors) and len(set(_addresses(tensors))) == 1


def _addresses(tensors: list[torch.Tensor]) -> Iterator[tuple[int, torch.Size]]:
    for one in tensors:
        pointer = one.data_ptr() if one.layout == torch.strided else 0
        yield pointer or id(one), one.shape


def _filling(site: Site) -> Place | None:
    """The latest statement above a call that fills the list which it is given."""
    call = call_at(site.place)
    given = call.args[0] if call is not None and call.args else None
    if not isinstance(given, ast.Name):
        return None
    filled = [one for one in changes_of(given.id, site.filename) if one.row < site.place.row]
    return filled[-1] if filled else None
