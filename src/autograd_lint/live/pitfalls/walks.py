"""A call of the engine as the families of pitfalls see it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch

from autograd_lint.live.sites import Site


class Walk(NamedTuple):
    """A call of `backward` or `grad` at a place.

    `roots` are the tensors that it starts from, `nodes` those of its graph, `numbers` the sequence
    numbers of these, `leaves` the leaves that gradients get to, `inputs` those it was asked for by
    name (empty: all leaves). `accumulates` says that it fills `.grad`, `keeps` that the graph is
    kept, `creates` that it makes a graph itself, `closely` that operators were observed before it;
    `kinds` are its nodes by operator then. Lives as long as the call.
    """

    name: str
    site: Site | None
    roots: list[torch.Tensor]
    nodes: list[Any]
    numbers: list[int]
    leaves: list[torch.Tensor]
    inputs: list[torch.Tensor]
    accumulates: bool
    keeps: bool
    creates: bool
    closely: bool
    kinds: dict[str, list[Any]]

    def of(self, operators: Iterable[str]) -> list[Any]:
        """The nodes of these operators, if it is looked at closely."""
        return [node for operator in operators for node in self.kinds.get(operator, ())]

    @property
    def asked(self) -> list[torch.Tensor]:
        """The leaves whose gradients it computes."""
        if not self.inputs:
            return self.leaves
        return [leaf for leaf in self.leaves if any(leaf is one for one in self.inputs)]
