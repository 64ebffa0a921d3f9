"""Finding arguments with which a function runs to its end: by trying, the most promising first."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograd_lint.live.confirm.recipes import Recipes, repaired, varied
from autograd_lint.live.messages import classify

ATTEMPTS = 150
SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """The recipes that got furthest; `error` stopped them, None if nothing or autograd did."""

    recipes: Recipes
    error: str | None


def search(first: Recipes, call: Callable[[Recipes], Any], progress: Callable[[], int]) -> Attempt:
    """Try `call` with `first` and with repairs of what failed.

    `progress` counts what ran during the last attempt: repairs of attempts that got far go first.
    An error of autograd is a success: it is what a witness is made for.
    """
    deadline = time.monotonic() + SECONDS
    order = itertools.count()
    queue: list[tuple[int, int, int, Recipes]] = [(0, 0, next(order), first)]
    tried: set[str] = set()
    best: tuple[int, Attempt] | None = None
    while queue and len(tried) < ATTEMPTS and time.monotonic() < deadline:
        *_, recipes = heapq.heappop(queue)
        key = repr(recipes)
        if key in tried:
            continue
        tried.add(key)
        error = _error(call, recipes)
        reached = progress()
        if best is None or reached > best[0] or error is None:
            best = (reached, Attempt(recipes, error))
        if error is None:
            break
        for rank, others in enumerate((repaired(recipes, error), varied(recipes))):
            for other in others:
                heapq.heappush(queue, (-reached, rank, next(order), other))
    return best[1] if best else Attempt(first, "nothing was tried")


def _error(call: Callable[[Recipes], Any], recipes: Recipes) -> str | None:
    try:
        call(recipes)
    except Exception as error:
        return None if _is_wanted(error) else f"{type(error).__name__}: {error}"
    return None


def _is_wanted(error: Exception) -> bool:
    kind = classify(error)
    return kind is not None and kind.value not in ("other", "no-grad-root", "non-scalar-root")
