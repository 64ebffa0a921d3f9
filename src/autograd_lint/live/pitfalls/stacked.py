"""Observations that are put together and are one array, which was overwritten in between.

states.append(torch.from_numpy(observation))     # the environment overwrites its array
...
torch.stack(states)                              # the latest one again and again
"""

from __future__ import annotations

import ast

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import SEVERAL, Pitfall
from autograd_lint.live.bindings import changes_of
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.places import Place

_LEAST = 3  # tensors that are put together


class Stacked(Family):
    """Looks at what is stacked: was one array made a tensor several times, and were others in its
    memory the last time?"""

    __slots__ = ("_held", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._held: dict[Site, Digest | None] = {}  # what the memory has held that is stacked there
        told.record.tell_of(("cat", "stack"), self._used)

    def _used(
        self, given: tuple[object, ...], site: Site | None, _: str, /, *, writes: bool
    ) -> None:
        """These are put together: are they one array?"""
        tensors = tensors_in(given[:1])
        if site is None or len(tensors) < _LEAST or not _are_one_array(tensors):
            return
        held = digest(tensors[0])
        if differ(self._held.setdefault(site, held), held):
            self._told.tell(
                Pitfall.STATE_OVERWRITTEN,
                _filling(site) or site,
                detail=SEVERAL,
                needed=Needed(site.place, "use"),
            )


def _are_one_array(tensors: list[torch.Tensor]) -> bool:
    """Whether all lie at one address, each in a storage of its own: that of an array of NumPy."""
    if any(one.layout != torch.strided or not one.data_ptr() for one in tensors[:2]):
        return False
    if tensors[0].data_ptr() != tensors[1].data_ptr():
        return False
    storages = {storage_id(one) for one in tensors}
    places = {(one.data_ptr(), one.shape) for one in tensors}
    return len(storages) == len(tensors) and len(places) == 1


def _filling(site: Site) -> Place | None:
    """The latest statement above a call that fills the list which it is given."""
    call = call_at(site.place)
    given = call.args[0] if call is not None and call.args else None
    if not isinstance(given, ast.Name):
        return None
    filled = [one for one in changes_of(given.id, site.filename) if one.row < site.place.row]
    return filled[-1] if filled else None
