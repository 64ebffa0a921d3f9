"""What is remembered stays small, however long a program runs."""

from hypothesis import given
from hypothesis import strategies as st

from autograd_lint.live.record import Birth, Call, Origin, Record, Write
from autograd_lint.live.runs import Runs


@given(st.lists(st.integers(0, 60)))
def test_runs_are_a_set(numbers: list[int]) -> None:
    runs = Runs(numbers)
    assert [n for n in range(-1, 64) if n in runs] == sorted(set(numbers))
    assert None not in runs


def test_births_by_node() -> None:
    record = Record()
    record.add_births(0, 2, Birth("exp", None))
    record.add_births(5, 6, Birth("mul", None))
    record.add_births(1, 2, Birth("sin", None))  # another thread counts for itself
    assert record.births_of(5) == (Birth("mul", None), None)
    assert record.births_of(1) == (Birth("sin", None), Birth("exp", None))
    assert record.births_of(3) == (None, Birth("sin", None))
    assert record.births_of(99) == (None, None)


def write(sequence: int) -> Write:
    return Write(sequence, None, "add_", None, 0, True)


def test_writes_before_the_latest_calls_are_forgotten() -> None:
    record = Record()
    for step in range(100):
        record.add_write(1, write(step))
        record.add_backward(Call("backward", None, Runs(), step))
    assert 0 < len(record.writes(1)) < 12
    assert record.writes(1)[-1].sequence == 99


def test_the_first_of_many_writes_in_one_graph_is_kept() -> None:
    record = Record()
    for step in range(200):
        record.add_write(1, write(step))
    assert record.writes(1)[0].sequence == 0


def test_memory_that_is_gone_is_forgotten() -> None:
    record = Record()
    for step in range(20_000):
        record.add_origin(step, Origin("zeros", None, step))
        record.add_backward(Call("backward", None, Runs(), step))
    known = [step for step in range(20_000) if record.origin(step)]
    assert len(known) < 5_000
    assert known[-1] == 19_999
