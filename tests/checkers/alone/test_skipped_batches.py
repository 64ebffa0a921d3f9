"""Batches that are passed over behind backward."""

import pytest

from autograd_lint.checkers.alone.skipped_batches import judge
from autograd_lint.project.source import Source

LOOP = """
for x, y in loader:
    {first}
    loss = criterion(model(x), y)
    loss.backward()
    norm = clip_grad_norm_(model.parameters(), 1.0)
    if {test}:
        {then}
        {leave}
    optimizer.step()
    {last}
"""


def _rows(
    test: str = "not torch.isfinite(loss)",
    then: str = "skipped += 1",
    leave: str = "continue",
    first: str = "pass",
    last: str = "optimizer.zero_grad()",
) -> list[int]:
    text = LOOP.format(test=test, then=then, leave=leave, first=first, last=last)
    return [fault.place.row for fault in judge(Source("a.py", text)) if fault.place]


@pytest.mark.parametrize("test", ["not torch.isfinite(loss)", "math.isnan(norm)", "norm.isinf()"])
def test_a_nan_that_stays_in_the_gradients_is_told(test: str) -> None:
    assert _rows(test) == [5]


def test_who_clears_before_going_on_is_quiet() -> None:
    assert _rows(then="optimizer.zero_grad()") == []
    assert _rows(then="model.weight.grad = None") == []
    assert _rows(then="reset(optimizer)") == []


def test_who_clears_in_front_of_backward_is_quiet() -> None:
    assert _rows(first="optimizer.zero_grad()", last="pass") == []
    assert _rows(first="model.zero_grad()") == []


def test_a_window_of_batches_is_no_batch_that_is_passed_over() -> None:
    assert _rows("(i + 1) % 4 != 0") == []


def test_who_ends_the_loop_is_quiet() -> None:
    assert _rows(leave="break") == []
