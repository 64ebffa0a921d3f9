"""Losses that torch computes of what has lost its graph before: nothing is trained by them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.severing import Severed, linked
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Value, tensors_in

COPYING = "torch.tensor"  # takes other data as a rule: it warns of a tensor that it has to copy
EVALUATION = re.compile(r"(?:^|_)(?:eval|valid|val|test|metric|score)")
_LOSSES = re.compile(r"_loss$|Loss$|cross_entropy|^kl_div$")


@lru_cache(1_000)
def makes_loss(operator: str) -> bool:
    """Whether an operator is one of torch's losses."""
    return _LOSSES.search(operator) is not None


def computed(interp: Interpreter, results: list[Tensor]) -> None:
    """A loss was computed with grad mode on: did anything that it compares have a graph?"""
    interp.watch.graphless.extend(one for one in results if one.severed and not linked(one))


def returned(
    interp: Interpreter, function: Function, result: Value, because: Assumption, *, modes: bool
) -> None:
    """A function gives a loss back: what if it is to train what its arguments come from?

    `modes` says that grad modes count as well, for nobody returns the values of a loss alone here.
    """
    if EVALUATION.search(function.name):
        return
    given = {id(one) for tensor in tensors_in(result) for one in tensor.severed}
    for loss in interp.watch.graphless:
        for severed in loss.severed:
            if id(severed) in given and (modes or severed.switch is None):
                _judge(interp, severed, because)


def _judge(interp: Interpreter, severed: Severed, because: Assumption) -> None:
    for event in _undeliberate(severed):
        note(
            interp,
            Pitfall.UNRECORDED_LOSS,
            event.place,
            tensor=_name_of(severed.source),
            operator=event.operator,
            assumptions=severed.assumptions | {because},
        )


def _undeliberate(severed: Severed) -> Iterator[Created]:
    """Where a graph ended by a copy or a grad mode; who detaches means it."""
    if severed.switch is not None:
        yield severed.switch
    elif severed.event.operator == COPYING:
        yield severed.event


def _name_of(source: Node) -> str | None:
    """What the program calls what lost its graph."""
    leaf = source.leaf.name if source.leaf is not None else None
    return source.name or leaf or (source.operator if source.opaque else None)
