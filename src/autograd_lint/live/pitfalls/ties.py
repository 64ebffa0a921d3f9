"""Tied parameters that go apart, for a module of the tie was replaced.

model.head.weight = model.embedding.weight
model.embedding = nn.Embedding(larger, dim)      # the head keeps the old one
optimizer = torch.optim.Adam(model.parameters())
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import modules_at_hand, name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site

_MOST = 8_192  # parameters that are remembered
_MOST_OPTIMIZERS = 8  # that are built, of which the modules beside them are looked at
_Pair = tuple[torch.Tensor, torch.Tensor]


@dataclass(slots=True)
class _Tie:
    """A parameter that two modules have, of these classes and by these names; how many parameters
    were known then, and where it was tied."""

    parameter: ref[torch.Tensor]
    owners: tuple[tuple[type, str], tuple[type, str]]
    before: int
    site: Site


class Ties(Family):
    """Knows which modules were given a parameter of another one; keeps none alive.

    A tie is broken where the network has a newer parameter in a module of one of the two classes:
    of another size than the old one, which the other module still has, or with the values of one
    that is newer as well. Who clones a parameter for one of them alone wants them apart.
    """

    __slots__ = ("_ages", "_built", "_owners", "_ties", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._built = 0
        self._ages: dict[int, tuple[ref[torch.Tensor], int, Site]] = {}
        self._owners: dict[int, tuple[ref[torch.Tensor], ref[torch.nn.Module], str]] = {}
        self._ties: list[_Tie] = []

    def wrapped(self, parameter: torch.Tensor, data: torch.Tensor, site: Site) -> None:
        """A parameter was made of a tensor."""
        self._ages.pop(id(parameter), None)
        if len(self._ages) < _MOST:
            self._ages[id(parameter)] = ref(parameter), len(self._ages), site

    def registered(self, module: torch.nn.Module, name: str, parameter: torch.Tensor) -> None:
        """A module was given a parameter: one that another module has?"""
        known, owner, own = self._owners.get(id(parameter), (None, None, ""))
        if known is None or owner is None or known() is not parameter:
            if len(self._owners) < _MOST:
                self._owners[id(parameter)] = ref(parameter), ref(module), name
            return
        first, site = owner(), self._told.here()
        is_tied = first is not None and first is not module and site is not None
        if is_tied and first is not None and site is not None and hasattr(first, own):
            owners = (type(first), own), (type(module), name)
            self._ties.append(_Tie(ref(parameter), owners, len(self._ages), site))

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built: does any network still have the ties that were made?"""
        self._built += bool(self._ties)
        if not self._ties or self._built > _MOST_OPTIMIZERS:
            return
        own = {id(one) for one in held}
        for module in modules_at_hand(self._told.sites):
            for tie in self._ties:
                for pair in self._pairs(module, tie, own):
                    self._look_at(pair, tie)

    def _pairs(self, module: torch.nn.Module, tie: _Tie, own: set[int]) -> Iterator[_Pair]:
        """The trained parameters of a network that may be those of a tie."""
        parts = [*module.modules()]
        first, second = (
            [
                parameter
                for part in parts
                if type(part) is kind and (parameter := part._parameters.get(name)) is not None
                if id(parameter) in own and parameter.requires_grad
            ]
            for kind, name in tie.owners
        )
        is_kept = {id(one) for one in first} & {id(one) for one in second}
        yield from () if is_kept else ((one, other) for one in first for other in second)

    def _look_at(self, pair: _Pair, tie: _Tie) -> None:
        """Were these made for the two modules of a tie, which both had one parameter?"""
        tied = tie.parameter()
        newer = [one for one in pair if self._age(one) >= tie.before]
        sizes = {(one.dim(), one.shape[-1:]) for one in pair}
        if len(sizes) > 1 or (tied is not None and tied.shape[-1:] != pair[0].shape[-1:]):
            return
        is_resized = any(one is tied for one in pair) and pair[0].shape != pair[1].shape
        is_renewed = len(newer) == len(pair) and _are_equal(*pair)
        if (newer and is_resized) or is_renewed:
            name = name_of(newer[0], self._told.sites)
            made = Created(tie.site.place, "tie")
            self._told.tell(
                Pitfall.TIE_BROKEN, self._ages[id(newer[0])][2], tensor=name, built=made
            )

    def _age(self, parameter: torch.Tensor) -> int:
        known, age, _ = self._ages.get(id(parameter), (None, -1, None))
        return age if known is not None and known() is parameter else -1


def _are_equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    is_seen = one.device.type == other.device.type == "cpu"
    return is_seen and torch.equal(one.detach(), other.detach())
