"""States of which nothing fits: all their names have a prefix that the module does not know.

state = torch.load(path)                            # of `DataParallel(net)`: `module.fc.weight`
net.load_state_dict(state, strict=False)            # loads nothing, and says nothing
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import LOADS_NOTHING, Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site

_SHARE = 2  # at least one in so many names fits without the prefix


@dataclass(frozen=True, slots=True)
class _Strayed:
    """A module that was given a state of which nothing fits, the names of that, the prefix that
    they lack or have too much, and where that was."""

    module: ref[torch.nn.Module]
    names: frozenset[str]
    prefix: str
    site: Site


class StrayedStates(Family):
    """Knows which loads took nothing of their state; what fits a module at another time, or
    another module, was tried there only."""

    __slots__ = ("_fitted", "_strayed", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._strayed: list[_Strayed] = []
        self._fitted: set[int] = set()  # modules that took something of a state

    def loaded(self, module: torch.nn.Module, state: Mapping[str, Any], left: Any) -> None:
        """A module has loaded a state, and tells what was left of it."""
        names, site = frozenset(map(str, state)), self._told.here()
        unexpected = frozenset(getattr(left, "unexpected_keys", ()))
        if not names or unexpected != names:
            self._fitted.add(id(module))
            self._strayed = [one for one in self._strayed if not _is_taken(one, module, names)]
            return
        prefix = _prefix(unexpected, getattr(left, "missing_keys", ()))
        if prefix is not None and site is not None and id(module) not in self._fitted:
            self._strayed.append(_Strayed(ref(module), names, prefix, site))

    def at_end(self) -> None:
        """The program has run to its end."""
        for one in self._strayed:
            self._told.tell(
                Pitfall.NAME_NEVER_MATCHES, one.site, tensor=one.prefix, detail=LOADS_NOTHING
            )


def _is_taken(one: _Strayed, module: torch.nn.Module, names: Collection[str]) -> bool:
    """Whether a module, or a state, that did not fit another one is taken now."""
    return one.module() in (module, None) or one.names == names


def _prefix(unexpected: Collection[str], missing: Collection[str]) -> str | None:
    """The prefix by which names that nobody expects and names that are missing differ."""
    for longer, shorter in ((unexpected, missing), (missing, unexpected)):
        ends = frozenset(shorter)
        found = [one for name in longer if (one := _before(name, ends)) is not None]
        if found and len(found) * _SHARE >= min(len(unexpected), len(missing)):
            return found[0] if len(set(found)) == 1 else None
    return None


def _before(name: str, ends: Collection[str]) -> str | None:
    """What comes before one of these ends in a name."""
    first, _, rest = name.partition(".")
    while rest and rest not in ends:
        more, _, rest = rest.partition(".")
        first = f"{first}.{more}"
    return first if rest else None
