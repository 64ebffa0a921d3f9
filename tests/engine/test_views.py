"""How views were made decides what may be done to them."""

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.tensor import CreationMeta
from tests.engine.driving import ADD, COPY, PART, VIEW, WRITE, apply, kind_of, leaf, plain


def hidden(engine: Engine) -> object:
    """A tensor with a node."""
    return apply(engine, ADD, leaf(), plain())


def test_one_of_several_views_is_not_written() -> None:
    engine = Engine()
    part = apply(engine, PART, hidden(engine))
    assert kind_of(engine, lambda: apply(engine, WRITE, part)) is FaultKind.VIEW_MODIFIED


def test_a_single_view_may_be_written() -> None:
    engine = Engine()
    view = apply(engine, VIEW, hidden(engine))
    assert kind_of(engine, lambda: apply(engine, WRITE, view)) is None


def test_a_view_made_under_no_grad_is_not_written_with_grad() -> None:
    engine = Engine()
    base = hidden(engine)
    with engine.mode(grad=False):
        view = apply(engine, VIEW, base)
    assert kind_of(engine, lambda: apply(engine, WRITE, view)) is FaultKind.VIEW_MODIFIED


def test_a_view_inherits_how_the_first_one_was_made() -> None:
    engine = Engine()
    part = apply(engine, PART, hidden(engine))
    assert apply(engine, VIEW, part).creation is CreationMeta.MULTI_OUTPUT


def test_a_view_of_a_view_has_the_same_base() -> None:
    engine, base = Engine(), plain()
    assert apply(engine, VIEW, apply(engine, VIEW, base)).base is base


def test_using_a_part_of_a_written_base_is_refused() -> None:
    engine = Engine()
    base = hidden(engine)
    part = apply(engine, PART, base)
    apply(engine, WRITE, base)
    assert kind_of(engine, lambda: apply(engine, ADD, part, 1)) is FaultKind.VIEW_MODIFIED


def test_a_view_reads_a_written_base_anew() -> None:
    engine, base = Engine(), plain()
    view = apply(engine, VIEW, base)
    apply(engine, COPY, base, leaf())
    apply(engine, ADD, view, 1)
    assert view.node is not None
    assert view.node.edges == [base.node]


def test_a_view_of_a_written_base_is_no_leaf() -> None:
    engine, base = Engine(), plain()
    view = apply(engine, VIEW, base)
    apply(engine, COPY, base, leaf())
    assert not view.is_leaf


@pytest.mark.parametrize("inference", [True, False])
def test_views_of_inference_tensors_are_not_followed(inference: bool) -> None:
    engine, tensor = Engine(), plain()
    tensor.inference = inference
    assert apply(engine, VIEW, tensor).is_view is not inference
