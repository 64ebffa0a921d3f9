"""no_grad and inference mode."""

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.machine import Engine
from tests.engine.driving import COMPARE, EXP, SQUARE, WRITE, apply, kind_of, leaf, plain


def test_no_grad_makes_no_nodes() -> None:
    assert apply(Engine(grad_enabled=False), EXP, leaf()).requires_grad is None


def test_inference_mode_wins_over_enabled_grad() -> None:
    assert apply(Engine(grad_enabled=True, inference=True), EXP, leaf()).requires_grad is None


def test_what_is_made_in_inference_mode_is_an_inference_tensor() -> None:
    assert apply(Engine(inference=True), EXP, plain()).inference


def test_an_inference_tensor_is_not_written_outside() -> None:
    tensor = apply(Engine(inference=True), EXP, plain())
    engine = Engine()
    assert kind_of(engine, lambda: apply(engine, WRITE, tensor)) is FaultKind.INFERENCE_TENSOR


def test_an_inference_tensor_is_not_saved() -> None:
    product = apply(Engine(inference=True), EXP, plain())
    product.requires = frozenset()
    engine = Engine()
    assert kind_of(engine, lambda: apply(engine, SQUARE, product)) is FaultKind.INFERENCE_TENSOR


def test_the_mode_before_comes_back() -> None:
    engine = Engine()
    with engine.mode(grad=False, inference=True):
        pass
    assert engine.recording


def test_comparisons_never_require_grad() -> None:
    assert apply(Engine(), COMPARE, leaf()).requires_grad is None
