"""What is refused before anything is written, and the history a write gives."""

import torch

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.inplace import PROJECTIONS
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.tensor import CERTAINLY
from tests.engine.driving import (
    ADD,
    COPY,
    SUM,
    VIEW,
    WRITE,
    apply,
    kind_of,
    leaf,
    plain,
    walk,
)


def test_a_leaf_is_not_written() -> None:
    engine, tensor = Engine(), leaf()
    assert kind_of(engine, lambda: apply(engine, WRITE, tensor)) is FaultKind.LEAF_MODIFIED


def test_a_view_of_a_leaf_is_not_written() -> None:
    engine = Engine()
    view = apply(engine, VIEW, leaf())
    assert kind_of(engine, lambda: apply(engine, WRITE, view)) is FaultKind.LEAF_VIEW_MODIFIED


def test_a_leaf_that_is_a_view_itself_counts_as_a_view() -> None:
    engine = Engine()
    view = apply(engine, VIEW, plain())
    view.requires = CERTAINLY
    assert kind_of(engine, lambda: apply(engine, WRITE, view)) is FaultKind.LEAF_VIEW_MODIFIED


def test_a_leaf_may_be_written_under_no_grad() -> None:
    engine, tensor = Engine(grad_enabled=False), leaf()
    assert kind_of(engine, lambda: apply(engine, WRITE, tensor)) is None


def test_writing_values_of_a_graph_makes_a_node() -> None:
    engine, buffer = Engine(), plain()
    apply(engine, COPY, buffer, leaf())
    assert buffer.requires_grad is not None
    assert not buffer.is_leaf


def test_a_base_gets_the_history_of_what_is_written_to_its_view() -> None:
    engine, base = Engine(), plain()
    apply(engine, COPY, apply(engine, VIEW, base), leaf())
    assert base.node is not None


def test_the_node_of_a_base_written_through_a_view_is_freed() -> None:
    engine, base = Engine(), plain()
    apply(engine, COPY, apply(engine, VIEW, base), leaf())
    total = apply(engine, SUM, base)
    walk(engine, total)
    assert kind_of(engine, lambda: walk(engine, total)) is FaultKind.GRAPH_FREED


def test_a_write_to_a_tensor_itself_frees_nothing() -> None:
    engine = Engine()
    hidden = apply(engine, ADD, leaf(), plain())
    apply(engine, WRITE, hidden)
    walk(engine, hidden)
    assert kind_of(engine, lambda: walk(engine, hidden)) is None


def test_expanded_memory_is_not_written() -> None:
    engine, tensor = Engine(), plain((2, 3))
    tensor.strides = (0, 1)
    assert kind_of(engine, lambda: apply(engine, WRITE, tensor)) is FaultKind.OTHER


def test_a_view_of_a_base_written_since_still_counts_as_a_leaf() -> None:
    engine, base = Engine(), plain()
    view = apply(engine, VIEW, base)
    apply(engine, COPY, base, leaf())
    assert kind_of(engine, lambda: apply(engine, WRITE, view)) is FaultKind.LEAF_MODIFIED


def test_projections_are_what_gives_the_same_again() -> None:
    """Every in-place method of one tensor, carried out once and twice."""
    numbers = {"renorm_": (2, 0, 1.0), "threshold_": (0.0, 0.0)}
    bounds = dict.fromkeys(("clamp_", "clamp_max_", "clamp_min_", "clip_"), (0.0,))
    again = set()
    for name in dir(torch.Tensor):
        if name.endswith("_") and not name.startswith("_"):
            given = {**numbers, **bounds}.get(name, ())
            once = _carried_out(name, torch.randn(3, 3), given)
            twice = None if once is None else _carried_out(name, once.clone(), given)
            if once is not None and twice is not None and torch.equal(once, twice):
                again.add(name)
    assert again - {"zero_"} <= PROJECTIONS


def _carried_out(name: str, tensor: torch.Tensor, given: tuple[float, ...]) -> torch.Tensor | None:
    """What a method leaves; None where it wants other arguments, or has left the values alone."""
    before = tensor.clone()
    try:
        getattr(tensor, name)(*given)
    except (RuntimeError, TypeError, ValueError):
        return None
    same = tensor.shape != before.shape or torch.equal(tensor, before)
    return None if same else tensor
