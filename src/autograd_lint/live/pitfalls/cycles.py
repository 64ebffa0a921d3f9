"""Gradients that keep the graph of their own, and with it the parameters that hold them."""

from __future__ import annotations

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site


class Cycles(Family):
    """Tells of `backward(create_graph=True)` whose gradients an optimizer uses with their graph, if
    it is one of torch's, which do not differentiate them, or that are left so at the end."""

    __slots__ = ("_gradients", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of its parameters, `held`."""
        if any(map(_keeps_graph, step.held)) and _reads_values_only(step.optimizer):
            self._tell()

    def trained(self) -> None:
        """The program has run to its end: which parameters have such gradients still?"""
        known = (leaf.tensor() for leaf in self._gradients.leaves() if leaf.is_parameter)
        if any(one is not None and _keeps_graph(one) for one in known):
            self._tell()

    def _tell(self) -> None:
        site = self._filled_at()
        if site is not None:
            self._told.tell(Pitfall.GRADIENT_KEEPS_GRAPH, site)

    def _filled_at(self) -> Site | None:
        """The latest call that made a graph, if that has filled gradients."""
        call = self._told.record.calls.latest_creating()
        return call.site if call is not None and call.name == "backward" else None


def _keeps_graph(tensor: torch.Tensor) -> bool:
    return tensor.grad is not None and tensor.grad.requires_grad


def _reads_values_only(optimizer: Optimizer) -> bool:
    """Whether an optimizer is one of torch's, and does not differentiate its own step."""
    is_torchs = type(optimizer).__module__.startswith("torch.optim")
    return is_torchs and not any(group.get("differentiable") for group in optimizer.param_groups)
