"""What is remembered stays small, however long a program runs."""

from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lint.live.births import Births
from autograd_lint.live.calls import Asked, Call, Calls, asked
from autograd_lint.live.memory import UNKNOWN, Origin
from autograd_lint.live.record import Record
from autograd_lint.live.runs import Runs
from autograd_lint.live.writes import Held, Manner, Write


@given(st.lists(st.integers(0, 60)))
def test_runs_are_a_set(numbers: list[int]) -> None:
    runs = Runs(numbers)
    assert [n for n in range(-1, 64) if n in runs] == sorted(set(numbers))
    assert None not in runs


def births_of(record: Record, node: int) -> list[str | None]:
    return [birth and birth.operator for birth in record.births_of(node)]


def test_births_by_node() -> None:
    record = Record()
    births = record.births_here()
    births.add(0, 2, record.kind("exp", None))
    births.add(5, 6, record.kind("mul", None))
    assert births_of(record, 5) == ["mul", None]
    assert births_of(record, 1) == ["exp", None]
    assert births_of(record, 3) == [None, None]
    assert births_of(record, 99) == [None, None]


def test_every_thread_counts_its_nodes_for_itself() -> None:
    record = Record()
    record.births_here().add(0, 2, record.kind("exp", None))

    def other() -> None:
        record.births_here().add(0, 4, record.kind("sin", None))
        assert births_of(record, 1) == ["sin", None]

    thread = Thread(target=other)
    thread.start()
    thread.join()
    assert births_of(record, 1) == ["exp", None]
    assert births_of(record, 3) == ["sin", None]


def test_whose_a_node_is_that_two_threads_have_is_known_by_its_operator() -> None:
    record = Record()
    write = Write(5, None, "add_", None, 0, bumped=False)
    record.births_here().add(0, 4, record.kind("exp", None))
    assert record.counts_alike(1, "exp", write)

    thread = Thread(target=lambda: record.births_here().add(0, 2, record.kind("sin", None)))
    thread.start()
    thread.join()
    assert record.counts_alike(1, "exp", write)
    assert not record.counts_alike(1, "sin", write)
    assert not record.counts_alike(1, "mul", write)
    assert record.counts_alike(3, "mul", write)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(1, 4), st.booleans())))
def test_stretches_tell_what_was_added(added: list[tuple[int, int, int, bool]]) -> None:
    births, known, node = Births(), {}, 0
    for gap, length, number, over in added:
        births.add(node + gap, node + gap + length, number)
        known |= dict.fromkeys(range(node + gap, node + gap + length), number)
        node += gap + length
        if over:
            births.close()
    assert [births.of(n) for n in range(node + 2)] == [known.get(n, 0) for n in range(node + 2)]


def test_rounds_of_a_loop_that_are_alike_cost_nothing() -> None:
    births = Births()
    sizes = []
    for step in range(1_000):
        for node in range(10):
            births.add(10 * step + node, 10 * step + node + 1, node + 1)
        births.close()
        sizes.append(len(births))
    assert sizes == [1] * 1_000
    assert births.of(7_003) == 4


def test_a_node_that_others_are_made_after_for_long_is_forgotten() -> None:
    births = Births()
    for step in range(10_000):
        births.add(step, step + 1, step % 3 + 1)
        births.add(step + 1, step + 2, 1)
        births.close()
    assert births.of(10_000) == 1
    assert len(births) < 5_000


@given(st.lists(st.tuples(st.sampled_from("ab"), st.lists(st.integers(0, 20)))))
def test_the_latest_call_has_freed_a_node(made: list[tuple[str, list[int]]]) -> None:
    calls, latest = Calls(), {}
    for name, nodes in made:
        calls.add_freed(Call(name, None), Runs(nodes))
        latest |= dict.fromkeys(nodes, name)
    for node in range(21):
        call = calls.freed(node)
        assert (call and call.name) == latest.get(node)


def test_the_first_call_after_a_node() -> None:
    calls = Calls()
    for began in (3, 8, 9):
        calls.add(Call(f"at {began}", None), began)
    assert calls.since(2) == Call("at 3", None)
    assert calls.since(8) == Call("at 9", None)
    assert calls.since(9) is None


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3))), st.integers(0, 30))
def test_calls_are_known_one_by_one(made: list[tuple[str, int]], sequence: int) -> None:
    calls, began, all_began = Calls(), 0, []
    for name, nodes in made:
        calls.add(Call(name, None), began)
        all_began.append((name, began))
        began += nodes
    after = next((Call(name, None) for name, at in all_began if at > sequence), None)
    assert calls.since(sequence) == after
    latest_first = [at for _, at in reversed(all_began)]
    assert [calls.began(ago + 1) for ago in range(len(made) + 1)] == [*latest_first, 0]


def test_alike_calls_at_equal_distances_cost_no_more_than_one() -> None:
    calls = Calls()
    for step in range(20_000):
        calls.add(Call("backward", None), 7 * step)
    assert len(calls) == 1


def test_calls_of_a_long_run_are_forgotten() -> None:
    calls = Calls()
    for step in range(20_000):
        calls.add(Call("backward" if step % 2 else "grad", None), step)
        calls.add_freed(Call("backward", None), Runs([2 * step]))
    assert len(calls) < 5_000
    assert calls.freed(2 * 19_999) == Call("backward", None)


ADD = Manner("add_", None)


def test_writes_before_the_latest_calls_are_forgotten() -> None:
    record = Record()
    for step in range(1_000):
        record.add_write(1, step, 0, ADD)
        record.add_backward(Call("backward", None), step)
    assert 0 < len(record.writes) < 100
    assert record.writes.to(1)[-1].sequence == 999


def test_the_first_of_many_writes_in_one_graph_is_kept() -> None:
    record = Record()
    for step in range(200):
        record.add_write(1, step, 0, ADD)
    assert record.writes.to(1)[0].sequence == 0


def test_many_writes_to_one_storage_push_out_none_to_others() -> None:
    record = Record()
    record.add_write(1, 0, 0, ADD)
    for step in range(20_000):
        record.add_write(2, step, 0, ADD)
    assert [write.sequence for write in record.writes.to(1)] == [0]
    assert len(record.writes) < 1_000


def test_a_write_is_told_as_it_was_noted() -> None:
    record = Record()
    held = Held(None, 5, 6)
    record.add_write(1, 7, None, Manner("fill_", None, bumped=False, shape=(2, 3)), held)
    record.add_write(2, 9, 4, Manner("mul_", None, has_node=True))
    (fill,), (mul,) = record.writes.by_storage()
    assert (fill.sequence, fill.own, fill.version, fill.bumped) == (7, None, None, False)
    assert (fill.operator, fill.shape, fill.held) == ("fill_", (2, 3), held)
    assert (mul.sequence, mul.own, mul.version, mul.held) == (9, 8, 4, None)


def test_what_memory_held_is_forgotten_with_the_write() -> None:
    record = Record()
    for step in range(1_000):
        record.add_write(step, step, 0, ADD, Held(None, step))
        record.add_backward(Call("backward", None), step)
    looked_at = record.writes.looked_at()
    assert looked_at == record.writes.storages()
    assert all(write.held == Held(None, at) for at in looked_at for write in record.writes.to(at))


def test_memory_that_is_gone_is_forgotten() -> None:
    record = Record()
    for step in range(20_000):
        record.add_origin(step, Origin("zeros", None), step)
        record.add_backward(Call("backward", None), step)
    known = [step for step in range(20_000) if record.memory.origin(step)]
    assert len(known) < 5_000
    assert known[-1] == 19_999


def test_a_view_looks_at_memory_that_was_made_before() -> None:
    memory = Record().memory
    memory.add(1, Origin("zeros", None), 5)
    assert memory.made(1) == 5
    memory.add(1, Origin("select", None), UNKNOWN)
    assert memory.made(1) == UNKNOWN
    assert [one and one.operator for one in (memory.origin(1), memory.maker(1))] == [
        "select",
        "zeros",
    ]


def test_gradients_of_the_latest_two_calls_are_known() -> None:
    memory = Record().memory
    memory.add(3, Origin("zeros", None), 5)
    for call in range(3):
        memory.add_gradients([3 + call, 9], Origin(f"call {call}", None), call)
    told = [memory.origin(at) for at in (3, 4, 5, 9)]
    assert [one and one.operator for one in told] == [None, "call 1", "call 2", "call 2"]
    memory.add(9, Origin("zeros", None), 7)
    assert memory.made(9) == 7


def test_rounds_assumed_to_be_alike_cost_no_more_than_one() -> None:
    births, made = Births(), Births()
    made.add(0, 3, 1)
    round_of_three = made.between(0, 3)
    for step in range(100):
        births.assume(3 * step, round_of_three)
        assert births.of(3 * step + 1) == 1
        assert births.is_assumed(3 * step + 2)
        assert not births.is_assumed(3 * step - 1)
        births.close()
    assert len(births) == 1
    assert births.of(299) == 1
    assert births.of(300) == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((None, True, False, ("w",)), {}), ((None,), {"keep_graph": True, "inputs": ("w",)})],
)
def test_what_a_call_asks_for_is_read_by_the_names_of_the_engine(
    arguments: tuple[object, ...], named: dict[str, object]
) -> None:
    wanted = Asked(("w",), keeps=True, creates=False, accumulates=True)
    assert asked(*arguments, **named, accumulate_grad=True, not_known=1) == wanted


def test_a_call_that_makes_a_graph_keeps_the_one_it_walks_through() -> None:
    assert asked(None, False, True).keeps
