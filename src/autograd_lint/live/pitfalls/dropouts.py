"""Dropout that a `forward` calls without its mode, run by a module in evaluation mode.

class Net(nn.Module):
    def forward(self, x):
        return F.dropout(self.layer(x), 0.5)       # `training` is True unless it is told otherwise
"""

from __future__ import annotations

import ast

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.reading import is_a
from autograd_lint.live.running_frames import frame_of
from autograd_lint.live.sites import Site, first_argument

_DRAWING = "bernoulli_"  # what dropout without a graph begins with
_DROPPING = "dropout"
_TRAINING = 2  # the number of the argument that says the mode


class Dropouts(Family):
    """Looks, where something is drawn in a call of dropout, at the module whose method runs."""

    __slots__ = ("_told",)

    def __init__(self, told: Told) -> None:
        self._told = told

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor: the mask of elements that are dropped?"""
        if operator != _DRAWING or site.module:
            return  # a layer has a mode of its own
        if not _drops_always(call_at(site.place)):
            return
        frame = frame_of(site)
        module = first_argument(frame) if frame is not None else None
        if is_a(module, torch.nn.Module) and not module.training:
            self._told.tell(Pitfall.CONSTANT_DROPOUT, site, operator=_DROPPING)


def _drops_always(call: ast.Call | None) -> bool:
    """Whether a call of the function for dropout does not say whether the module is trained."""
    if call is None or any(one.arg in (None, "training") for one in call.keywords):
        return False
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name == _DROPPING and len(call.args) <= _TRAINING
