"""Options that are set in what `state_dict()` of an optimizer gave: a copy, which nobody loads.

for group in optimizer.state_dict()["param_groups"]:
    group["lr"] = rate
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps before each of which that was done
Options = dict[str, float]


@dataclass(frozen=True, slots=True)
class _Packed:
    """The groups of a state, which hold numbers for parameters; what they said, and where it was
    asked for."""

    groups: list[dict[str, Any]]
    said: list[Options]
    site: Site


class LostRates(Family):
    """Compares the latest state of an optimizer with what it was, when the next step begins."""

    __slots__ = ("_packed", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._packed: WeakKeyDictionary[Optimizer, _Packed] = WeakKeyDictionary()
        self._times: Counter[Site] = Counter()

    def packed(self, state: Mapping[str, Any], optimizer: Optimizer) -> None:
        """An optimizer has given its state."""
        site, groups = self._told.here(), state.get("param_groups")
        if site is not None and isinstance(groups, list):
            self._packed[optimizer] = _Packed(groups, [*map(_options, groups)], site)

    def unpacking(self, optimizer: Optimizer) -> None:
        """An optimizer is about to load a state."""
        self._packed.pop(optimizer, None)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step, with the options that it has."""
        known = self._packed.pop(step.optimizer, None)
        if known is None:
            return
        for group, said, own in zip(
            known.groups, known.said, step.optimizer.param_groups, strict=False
        ):
            changed = {key: one for key, one in _options(group).items() if said.get(key) != one}
            if any(own.get(key) != one for key, one in changed.items()):
                self._times[known.site] += 1
                break
        if self._times[known.site] == _AGAIN:
            call = call_at(known.site.place)
            self._told.tell(
                Pitfall.RATE_WITHOUT_EFFECT,
                known.site,
                tensor="state_dict()" if call is not None else None,
            )


def _options(group: Mapping[str, Any]) -> Options:
    return {key: one for key, one in group.items() if type(one) in (int, float)}
