"""Who shares a version counter, and who raises it."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.inplace import set_data, write
from autograd_lint.engine.machine import Engine
from autograd_lint.operators.facts import Form
from autograd_lint.project.source import Source
from tests.engine.driving import (
    ADD,
    DATA,
    DETACH,
    EXP,
    MUL,
    SQUARE,
    VIEW,
    WRITE,
    apply,
    fault_of,
    kind_of,
    leaf,
    plain,
    walk,
)


@pytest.mark.parametrize("form", [VIEW, DETACH])
def test_views_and_detach_share_the_counter(form: Form) -> None:
    engine, tensor = Engine(), plain()
    alias = apply(engine, form, tensor)
    apply(engine, WRITE, alias)
    assert tensor.storage.version == 1


def test_data_has_a_counter_of_its_own() -> None:
    engine, tensor = Engine(), plain()
    apply(engine, WRITE, apply(engine, DATA, tensor))
    assert tensor.storage.version == 0


def test_no_grad_does_not_stop_the_counter() -> None:
    engine, tensor = Engine(grad_enabled=False), leaf()
    apply(engine, WRITE, tensor)
    assert tensor.storage.version == 1


def test_a_write_to_a_saved_input_is_found_in_backward() -> None:
    engine = Engine()
    hidden = apply(engine, ADD, leaf(), plain())
    squared = apply(engine, SQUARE, hidden)
    apply(engine, WRITE, hidden)
    assert kind_of(engine, lambda: walk(engine, squared)) is FaultKind.SAVED_TENSOR_MODIFIED


def test_a_write_to_a_saved_result_is_found_in_backward() -> None:
    engine = Engine()
    result = apply(engine, EXP, leaf())
    apply(engine, WRITE, result)
    assert kind_of(engine, lambda: walk(engine, result)) is FaultKind.SAVED_TENSOR_MODIFIED


def test_a_write_before_saving_does_no_harm() -> None:
    engine = Engine()
    hidden = apply(engine, ADD, leaf(), plain())
    apply(engine, WRITE, hidden)
    squared = apply(engine, SQUARE, hidden)
    assert kind_of(engine, lambda: walk(engine, squared)) is None


def test_a_write_behind_the_counter_is_not_seen_by_backward() -> None:
    engine = Engine()
    hidden = apply(engine, ADD, leaf(), plain())
    squared = apply(engine, SQUARE, hidden)
    write(hidden, "copy_", None, bumps=0)
    fault = fault_of(engine, lambda: walk(engine, squared))
    assert fault is not None
    assert fault.modified is not None
    assert not fault.modified.bumped


def test_other_memory_is_read_by_who_has_saved_the_tensor_itself() -> None:
    engine = Engine()
    hidden = apply(engine, ADD, leaf(), plain())
    squared = apply(engine, SQUARE, hidden)
    set_data(hidden, plain(), None)
    assert kind_of(engine, lambda: walk(engine, squared)) is FaultKind.SAVED_TENSOR_MODIFIED


@pytest.mark.parametrize("form", [VIEW, DETACH])
def test_other_memory_is_not_that_of_who_shared_the_old_one(form: Form) -> None:
    engine, data = Engine(), plain()
    product = apply(engine, MUL, leaf(), apply(engine, form, data))
    set_data(data, plain(), None)
    assert kind_of(engine, lambda: walk(engine, product)) is None


def test_other_memory_is_not_that_of_a_saved_result() -> None:
    engine = Engine()
    result = apply(engine, EXP, leaf())
    set_data(result, plain(), None)
    assert kind_of(engine, lambda: walk(engine, result)) is None


def test_a_factor_is_saved_only_for_the_gradient_of_the_other() -> None:
    engine, data, weight = Engine(), plain(), leaf()
    product = apply(engine, MUL, data, weight)
    write(weight, "step", None)
    assert kind_of(engine, lambda: walk(engine, product)) is None


def test_the_data_is_saved_as_soon_as_the_weight_trains() -> None:
    engine, data, weight = Engine(), plain(), leaf()
    product = apply(engine, MUL, data, weight)
    write(data, "add_", None)
    assert kind_of(engine, lambda: walk(engine, product)) is FaultKind.SAVED_TENSOR_MODIFIED


def test_running_statistics_are_of_no_use_to_the_backward_of_a_training_step() -> None:
    program = """
import torch
import torch.nn.functional as F
w = torch.ones(3, requires_grad=True)
mean, var = torch.zeros(3), torch.ones(3)
first = F.batch_norm(torch.rand(4, 3) * w, mean, var, training=True)
F.batch_norm(first * w, mean, var, training=True).pow(2).sum().backward()
"""
    assert analyse(Source("a.py", program)) == []
    exec(program, {})


def test_running_statistics_that_the_program_writes_are_checked() -> None:
    program = """
import torch
import torch.nn.functional as F
w = torch.ones(3, requires_grad=True)
mean, var = torch.zeros(3), torch.ones(3)
out = F.batch_norm(torch.rand(4, 3) * w, mean, var, training=True)
var.zero_()
out.pow(2).sum().backward()
"""
    (fault,) = analyse(Source("a.py", program))
    assert fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(program, {})


@pytest.mark.parametrize(
    ("program", "producer", "versions"),
    [
        ("h = x.exp()\nh += 1\nh += 2\nh.sum().backward()\n", "exp", (0, 2)),
        ("h = x * 3\ny = h * x\nh.add_(1)\ny.sum().backward()\n", "add_", (0, 1)),
        ("i = torch.tensor([0, 1])\ny = x[i]\ni += 1\ny.sum().backward()\n", "", (0, 1)),
    ],
)
def test_a_fault_tells_of_the_tensor_what_torch_says_of_it(
    program: str, producer: str, versions: tuple[int, int]
) -> None:
    head = "import torch\nx = torch.randn(3, requires_grad=True)\n"
    found = analyse(Source("a.py", head + program))[0].found
    assert found is not None
    assert (found.producer, (found.saved, found.version)) == (producer, versions)
    assert found.dtype == ("float" if producer else "int")
