"""Attributes that look like switches of autograd and are not: `p.require_grad = False`."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.source import place_in, tree_of
from autograd_lint.places import Place

_MISSPELT = ("require_grad", "requires_gradient", "require_grads", "requires_grads")


class Flags(Family):
    """Looks at all objects that there are, twice: what is gone at the end may carry such an
    attribute, and to go through all of them takes long."""

    __slots__ = ("_is_seen", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._is_seen = False

    def settled(self, optimizer: Optimizer) -> None:
        """The first optimizer has stepped some times."""
        if not self._is_seen:
            self._is_seen = True
            self.at_end()

    def at_end(self) -> None:
        """The program has run to its end."""
        _look_at_flags(self._told)


def _look_at_flags(told: Told) -> None:
    """Which tensors and modules that there are carry such an attribute?"""
    names = set[str]()
    for value in gc.get_objects():
        kind = type(value)  # to ask the object itself may run its code
        if issubclass(kind, torch.Tensor):
            names.update(name for name in _MISSPELT if name in value.__dict__)
        elif issubclass(kind, torch.nn.Module) and _is_thought_frozen(value):
            names.add("requires_grad")
    for name in names:
        for place, owner in _assignments(told, name):
            told.tell(Pitfall.FLAG_WITHOUT_EFFECT, place, tensor=owner, operator=name)


def _is_thought_frozen(module: torch.nn.Module) -> bool:
    """Whether a flag was set on a module that knows of none, and its parameters go on to train."""
    held = vars(module).get("requires_grad")
    return held is False and any(one.requires_grad for one in module.parameters())


def _assignments(told: Told, name: str) -> Iterator[tuple[Place, str]]:
    """Where the program's files set an attribute of this name, but on `self`."""
    for filename in told.files():
        tree = tree_of(filename)
        for node in ast.walk(tree) if tree else ():
            targets = node.targets if isinstance(node, ast.Assign) else ()
            for target in targets:
                if isinstance(target, ast.Attribute) and target.attr == name:
                    owner = ast.unparse(target.value)
                    if owner != "self":
                        yield place_in(filename, target), owner
