"""Lists that hold one tensor several times, and are written to element by element.

states = [torch.zeros(hidden)] * agents
states[0].copy_(h)                      # all of them are `h` now
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

import torch

from autograd_lint.engine.events import Modified
from autograd_lint.engine.pitfalls import ONE_TENSOR, Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.multiplied import is_product
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.reading import attributes
from autograd_lint.live.running_frames import frame_of
from autograd_lint.live.sites import Site, first_argument
from autograd_lint.live.source import lines_of, place_in, tree_of
from autograd_lint.places import Place

_MOST = 256  # places that are looked at, each once


class OneTensor(Family):
    """Looks for what is written in the lists of the function that writes, and of its object."""

    __slots__ = ("_looked", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._looked: set[Site] = set()

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor: to several elements of a list?"""
        if site in self._looked or len(self._looked) >= _MOST:
            return
        self._looked.add(site)
        # Whoever asks for the variables of a function keeps what they hold.
        for name, held in _lists(site) if _may_multiply(site.filename) else ():
            if sum(one is tensor for one in held) > 1:
                modified = Modified(site.place, operator, None, 0)
                for place in _products(site.filename, name):
                    self._told.tell(
                        Pitfall.LAYER_MULTIPLIED, place, detail=ONE_TENSOR, modified=modified
                    )


@lru_cache(maxsize=256)
def _may_multiply(filename: str) -> bool:
    """Whether the text of a file may multiply a list."""
    return any(one in line for line in lines_of(filename) for one in ("] *", "]*", "* [", "*["))


def _lists(site: Site) -> Iterator[tuple[str, list[object]]]:
    """The lists that variables of the running function hold, or attributes of its object."""
    frame = frame_of(site)
    scopes = [frame.f_locals, attributes(first_argument(frame))] if frame is not None else []
    for scope in scopes:
        for name, value in list(scope.items()):
            if type(value) is list:
                yield name, value


def _products(filename: str, name: str) -> Iterator[Place]:
    """Where a file multiplies a list that it gives this name."""
    tree = tree_of(filename)
    nodes = ast.walk(tree) if tree is not None else ()
    for one in (node for node in nodes if isinstance(node, ast.Assign)):
        is_multiplied = isinstance(one.value, ast.BinOp) and is_product(one.value)
        targets = (ast.unparse(target).rpartition(".")[2] for target in one.targets)
        if is_multiplied and name in targets:
            yield place_in(filename, one.value)
