"""Attributes that look like switches of autograd and are not: `p.require_grad = False`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import all_modules, all_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.source import lines_of, place_in, tree_of
from autograd_lint.places import Place

_MISSPELT = ("require_grad", "requires_gradient", "require_grads", "requires_grads")
_OF_MODULES = "requires_grad"


class Flags(Family):
    """Looks at all objects that there are where the program's text sets such an attribute, twice:
    what is gone at the end may carry it. To go through all that is imported takes long, and is left
    for the end."""

    __slots__ = ("_is_seen", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._is_seen = False

    def settled(self, optimizer: Optimizer) -> None:
        """The first optimizer has stepped some times."""
        if not self._is_seen:
            self._is_seen = True
            _look_at_flags(self._told, self._told.sites.files())

    def at_end(self) -> None:
        """The program has run to its end."""
        _look_at_flags(self._told, self._told.files())


def _look_at_flags(told: Told, files: Iterable[str]) -> None:
    """Which tensors and modules that there are carry an attribute that these files set?"""
    assigned = [*_assignments(files)]
    written = {name for name, _, _ in assigned}
    names = set[str]()
    if _OF_MODULES in written and any(map(_is_thought_frozen, all_modules())):
        names.add(_OF_MODULES)
    misspelt = written.difference([_OF_MODULES])
    for tensor in all_of(torch.Tensor) if misspelt else ():
        names.update(misspelt.intersection(tensor.__dict__))
    for name, place, owner in assigned:
        if name in names:
            told.tell(Pitfall.FLAG_WITHOUT_EFFECT, place, tensor=owner, operator=name)


def _is_thought_frozen(module: torch.nn.Module) -> bool:
    """Whether a flag was set on a module that knows of none, and its parameters go on to train."""
    held = vars(module).get(_OF_MODULES)
    return held is False and any(one.requires_grad for one in module.parameters())


def _assignments(files: Iterable[str]) -> Iterator[tuple[str, Place, str]]:
    """Where files set such attributes, but on `self`: the attribute, the place, and whose it is."""
    for filename in files:
        tree = tree_of(filename) if any(map(_may_set, lines_of(filename))) else None
        for node in ast.walk(tree) if tree else ():
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Attribute) and target.attr in (*_MISSPELT, _OF_MODULES):
                    owner = ast.unparse(target.value)
                    if owner != "self":
                        yield target.attr, place_in(filename, target), owner


def _may_set(line: str) -> bool:
    return "=" in line and ".require" in line and "_grad" in line
