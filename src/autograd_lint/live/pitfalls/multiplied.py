"""Containers of layers that hold one layer several times: `nn.ModuleList([layer] * n)`.

The run tells that they are one and are trained, the text that a list was multiplied: a loop that
puts one layer into a list several times may be meant so.
"""

from __future__ import annotations

import ast

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.bindings import values_of
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site

_MOST = 256  # containers that are remembered


class Multiplied(Family):
    """Knows the containers that were made of one layer; keeps none alive."""

    __slots__ = ("_gradients", "_made", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._made: list[tuple[Leaf, Site]] = []

    def contained(self, container: torch.nn.Module, site: Site | None) -> None:
        """A container was made: of a layer with parameters, several times?"""
        layers = [*container._modules.values()]
        if len(layers) < 2 or layers[0] is None or layers[0] is not layers[1]:
            return
        first = next(layers[0].parameters(), None)
        if first is not None and site is not None and len(self._made) < _MOST:
            self._made.append((self._gradients.leaf(first), site))

    def trained(self) -> None:
        """The program has run to its end: which of these were trained?"""
        for leaf, site in self._made:
            tensor = leaf.tensor()
            if leaf.moved and _multiplies(site):
                name = name_of(tensor, self._told.sites) if tensor is not None else None
                self._told.tell(Pitfall.LAYER_MULTIPLIED, site, tensor=name)


def _multiplies(site: Site) -> bool:
    """Whether the call at a place is given a list that is multiplied, by itself or by a name."""
    call = call_at(site.place)
    given = (
        [one.value if isinstance(one, ast.Starred) else one for one in call.args] if call else []
    )
    named = [
        value for one in given if isinstance(one, ast.Name) for value in values_of(one.id, site)
    ]
    return any(isinstance(one, ast.BinOp) and is_product(one) for one in (*given, *named))


def is_product(node: ast.BinOp) -> bool:
    """Whether a list is multiplied."""
    sides = (node.left, node.right)
    return isinstance(node.op, ast.Mult) and any(isinstance(one, ast.List) for one in sides)
