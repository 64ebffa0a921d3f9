"""Finding arguments with which a function runs to its end: by trying, the most promising first."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograd_lint.live.confirm.recipes import Recipes
from autograd_lint.live.confirm.repairs import repaired, varied

ATTEMPTS = 150
PATIENCE = 1.5


@dataclass(frozen=True, slots=True)
class Attempt:
    """The recipes that got furthest.

    `error` is what stopped them, None if nothing did; `on_goal` says that the rows in question ran,
    `hit` that the error came which a witness is made for.
    """

    recipes: Recipes
    error: str | None
    on_goal: bool
    hit: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried: `call` raises what stops it; `progress` counts what ran in the last attempt,
    `on_goal` tells whether the rows in question were among it, `wanted` whether an exception is the
    very one that a witness is made for, `may_hit` whether there may be one."""

    call: Callable[[Recipes], Any]
    progress: Callable[[], int]
    on_goal: Callable[[], bool]
    wanted: Callable[[Exception], bool]
    may_hit: bool


def search(first: Recipes, options: Recipes, trial: Trial, deadline: float) -> Attempt:
    """Try `first`, then repairs of what failed, then other values, also for `options`.

    Repairs of attempts that got far go first. What ran to its end without the wanted error is kept
    in case that nothing better is found soon.
    """
    order = itertools.count()
    queue: list[tuple[int, int, int, Recipes]] = [(0, 0, next(order), first)]
    tried: set[str] = set()
    best: tuple[tuple[bool, bool, int], Attempt] | None = None
    while queue and len(tried) < ATTEMPTS and time.process_time() < deadline:
        *_, recipes = heapq.heappop(queue)
        key = repr(sorted(recipes.items()))
        if key in tried:
            continue
        tried.add(key)
        attempt = _attempt(trial, recipes)
        if attempt.hit:
            return attempt
        reached = trial.progress()
        rank = (attempt.error is None, attempt.on_goal, reached)
        if best is None or rank > best[0]:
            best = (rank, attempt)
        if attempt.error is None:
            if attempt.on_goal and not trial.may_hit:
                return attempt
            patience = PATIENCE if attempt.on_goal else PATIENCE / 4
            deadline = min(deadline, time.process_time() + patience)
        error = attempt.error or ""
        for place, others in enumerate((repaired(recipes, error), varied(recipes, options))):
            for other in others:
                heapq.heappush(queue, (-reached, place, next(order), other))
    return best[1] if best else Attempt(first, "there was no time to try", False)


def _attempt(trial: Trial, recipes: Recipes) -> Attempt:
    try:
        trial.call(recipes)
    except Exception as error:
        if trial.wanted(error):
            return Attempt(recipes, None, True, hit=True)
        return Attempt(recipes, f"{type(error).__name__}: {error}", trial.on_goal())
    return Attempt(recipes, None, trial.on_goal())
