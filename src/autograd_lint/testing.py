"""Assertions for tests: that a training step is what it is meant to be. Needs torch.

from autograd_lint.testing import assert_all_parameters_get_gradients

def test_a_step_trains_everything():
    model = Model()
    assert_all_parameters_get_gradients(model, lambda: loss(model(x), y).backward())
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import TypeVar
from weakref import ref

import torch

from autograd_lint.live.attention import WHOLE_RUN
from autograd_lint.live.block import Block, Report
from autograd_lint.live.graph import node_of

_Result = TypeVar("_Result")
_ROUNDS = 3


def assert_all_parameters_get_gradients(
    module: torch.nn.Module, step: Callable[[], object], *, but: Collection[str] = ()
) -> None:
    """Fail unless one call of `step` gives every trainable parameter a gradient other than zero.

    `step` computes a loss and calls backward, or returns the loss for this function to do so.
    `but` names parameters (`net.0.weight`) that need none. The gradients that were there are put
    back. Raises AssertionError, which names the parameters and what the tracer found.
    """
    wanted = {
        name: one
        for name, one in module.named_parameters()
        if one.requires_grad and name not in but
    }
    kept = {name: one.grad for name, one in wanted.items()}
    for one in wanted.values():
        one.grad = None
    try:
        with Block(WHOLE_RUN, whole=True) as report:
            loss = step()
            if isinstance(loss, torch.Tensor) and loss.requires_grad:
                loss.backward()  # type: ignore[no-untyped-call]
        without = [name for name, one in wanted.items() if one.grad is None]
        zero = [name for name, one in wanted.items() if _is_zero(one.grad)]
    finally:
        for name, one in wanted.items():
            one.grad = kept[name]
    if without:
        raise AssertionError(_told(f"no gradient gets to {_list(without)}", report))
    if zero:
        raise AssertionError(_told(f"the gradient is zero of {_list(zero)}", report))


def assert_no_graph_kept(step: Callable[[], object]) -> None:
    """Fail if graphs pile up when `step` is called again and again.

    What a step leaves behind may keep the graph of that step, but not of earlier ones. Raises
    AssertionError with what the tracer found.
    """
    sizes = []
    with Block(WHOLE_RUN) as report:
        for _ in range(_ROUNDS + 1):
            step()
            sizes.append(_nodes_alive())
    if all(before < after for before, after in pairwise(sizes[1:])):
        grown = ", ".join(map(str, sizes))
        raise AssertionError(_told(f"graphs pile up, step by step: {grown} nodes", report))


def assert_backward_succeeds(step: Callable[[], _Result]) -> _Result:
    """Fail if autograd raises while `step` runs; what `step` returns otherwise.

    Raises AssertionError from autograd's error, with its cause; other errors pass as they are.
    """
    report = Report()
    try:
        with Block(WHOLE_RUN) as report:
            return step()
    except Exception as error:
        if not report.findings:
            raise
        raise AssertionError(_told(f"{type(error).__name__}: {error}", report)) from error


def _is_zero(gradient: torch.Tensor | None) -> bool:
    return gradient is not None and not bool(gradient.detach().to_dense().ne(0).any())


def _nodes_alive() -> int:
    """The nodes that tensors lead to, all together."""
    gc.collect()
    nodes = set()
    stack = [one.grad_fn for one in _computed()]
    while stack:
        node = stack.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            stack += [following for following, _ in node.next_functions]
    return len(nodes)


def _computed() -> Iterator[torch.Tensor]:
    """The tensors alive that have a graph."""
    known = [ref(one) for one in gc.get_objects() if type(one) is torch.Tensor]
    tensors = (one() for one in known)
    return (one for one in tensors if one is not None and node_of(one) is not None)


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _told(what: str, report: Report) -> str:
    return f"{what}\n\n{report}" if report.findings else what
