"""Of programs that call one operator, both engines say the same."""

from benchmarks.endings import main


def test_both_engines_say_the_same_of_what_becomes_of_an_operator() -> None:
    tally = main(1, 60)
    assert tally.programs > 200
    assert tally.share >= 0.99
