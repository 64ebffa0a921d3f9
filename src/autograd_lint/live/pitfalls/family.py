"""What the families of pitfalls are told of.

A family has the methods that concern it, and is called by no others. All are called in the order in
which the onlooker lists the families: what `Gradients` knows of a leaf is what was there before an
event for those that stand above it, and what is there now for those below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch.optim import Optimizer

from autograd_lint.live.calls import Call
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import tensors_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site


class Step(NamedTuple):
    """A step of an optimizer, of the parameters that it has, at a place."""

    optimizer: Optimizer
    held: list[torch.Tensor]
    site: Site | None


class Walked(NamedTuple):
    """A call of the engine that has returned: what it was given, the leaves whose gradients it has
    filled, and the gradients that it was asked for by name."""

    call: Call
    outputs: Any
    filled: Sequence[Leaf]
    result: Any

    @property
    def roots(self) -> list[torch.Tensor]:
        """The tensors that it began from."""
        return tensors_of(self.outputs)

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The leaves that it has filled and that are still there."""
        known = (leaf.tensor() for leaf in self.filled)
        return [one for one in known if one is not None]


class Family:
    """Looks for pitfalls of one kind, and keeps no tensor, module or node alive."""

    __slots__ = ()

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built, with these parameters."""

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins."""

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """It is about to add to the gradients of these; to none where it hands them out."""

    def look(self, walk: Walk) -> None:
        """It is one that is looked at closely: operators were observed before."""

    def after_backward(self, walked: Walked) -> None:
        """It has returned."""

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of its parameters."""

    def asks(self, optimizer: Optimizer, closure: Any, site: Site | None) -> None:
        """A step begins that is to call a closure for its gradients."""

    def after_step(self, optimizer: Optimizer) -> None:
        """A step has ended."""

    def settled(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped so often that it has all that it will have."""

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """An optimizer or a module is about to clear the gradients of these."""

    def clipping(self, given: Any, limit: Any, site: Site | None) -> None:
        """Gradients are about to be clipped."""

    def put(self, module: torch.nn.Module, training: bool) -> None:
        """The program puts a module into a mode."""

    def made(self, parameter: torch.Tensor, site: Site) -> None:
        """The program itself has made a parameter."""

    def wrapped(self, parameter: torch.Tensor, data: torch.Tensor, site: Site) -> None:
        """A parameter was made of a tensor, by the program or for it."""

    def registered(self, module: torch.nn.Module, name: str, parameter: torch.Tensor) -> None:
        """A module was given a parameter under a name."""

    def copied(self, copy: torch.Tensor, original: torch.Tensor, site: Site | None) -> None:
        """A parameter was copied."""

    def contained(self, container: torch.nn.Module, site: Site | None) -> None:
        """A list or sequence of modules was made."""

    def shared(self, copy: torch.nn.Module, site: Site | None) -> None:
        """A module was copied, and its parameters were not."""

    def hooked(self, tensor: torch.Tensor, hook: Any, site: Site | None) -> None:
        """A tensor is given a hook for its gradient."""

    def asked(self, tensor: torch.Tensor, site: Site | None) -> None:
        """The gradient of a tensor is to be seen: by a hook, or where it is kept."""

    def flagged(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A tensor is about to be told to require grad."""

    def froze(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A leaf is about to be told not to require grad."""

    def saved(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module has given its state."""

    def loading(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module is about to load a state."""

    def loaded(self, module: torch.nn.Module, state: Mapping[str, Any], left: Any) -> None:
        """A module has loaded a state, and gives the names that it has left."""

    def cut(self, operator: str, site: Site, tensor: torch.Tensor) -> None:
        """An operator at a place leaves the graph of a tensor."""

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator has given an alias of a leaf, without its graph."""

    def used(self, site: Site, operator: str) -> None:
        """What has left a graph there is given to another operator, which has a node."""

    def added(self, operator: str, site: Site, number: int) -> None:
        """The same as a term of a sum, by the node of this number."""

    def combined(self, operator: str, given: tuple[Any, ...], site: Site, number: int) -> None:
        """An operator has made the node of this number of these, for the first time at a place."""

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor."""

    def replaced(self, tensor: torch.Tensor, value: torch.Tensor, site: Site) -> None:
        """The program is about to set the `.data` of a tensor."""

    def trained(self) -> None:
        """The program has run to its end, and has called backward."""

    def at_end(self) -> None:
        """The program has run to its end."""
