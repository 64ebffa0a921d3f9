"""Which way a run goes where conditions are unknown, and which runs follow."""

from autograd_lint.places import Place
from autograd_lint.vm.paths import Path, alternatives


def place(row: int) -> Place:
    return Place("a.py", row, 1, row, 5)


def decided(path: Path, *usual: bool) -> tuple[bool, ...]:
    for row, side in enumerate(usual):
        path.decide(place(row), f"c{row}", side, None)
    return path.taken


def test_the_usual_sides_are_taken_first() -> None:
    assert decided(Path(), True, False) == (True, False)


def test_a_prefix_of_decisions_is_followed_to_its_end() -> None:
    assert decided(Path(decision_prefix=(False,)), True, True) == (False, True)


def test_the_negated_path_takes_every_other_side() -> None:
    assert decided(Path(negated=True), True, False) == (False, True)


def test_a_run_without_decisions_has_no_alternatives() -> None:
    assert list(alternatives(Path(), 5)) == []


def test_only_decisions_that_matter_are_flipped() -> None:
    first = Path()
    decided(first, True, True, True)
    first.fault_relevant = {1}
    assert list(alternatives(first, 5)) == [Path(negated=True), Path(decision_prefix=(True, False))]


def test_a_condition_in_a_loop_is_flipped_once() -> None:
    first = Path()
    for _ in range(3):
        first.fault_relevant.add(first.decide(place(1), "c", True, None))
    assert list(alternatives(first, 5)) == [Path(negated=True), Path(decision_prefix=(False,))]


def test_no_more_than_the_limit_are_flipped() -> None:
    first = Path()
    decided(first, *[True] * 9)
    first.fault_relevant = set(range(9))
    assert len(list(alternatives(first, 4))) == 1 + 4


def test_a_negated_condition_is_told_as_it_is_spelt() -> None:
    path = Path()
    path.decide(place(1), "x is not None", False, None, negated=True)
    assert path.decisions[0].holds


def test_decisions_of_what_trains_are_flipped_first() -> None:
    first = Path()
    for name in "abc":
        first.fault_relevant.add(first.decide(place(1), name, True, None))
    first.pressing = {1}
    prefixes = [path.decision_prefix for path in alternatives(first, 2)]
    assert prefixes == [(), (True, False), (False,)]
