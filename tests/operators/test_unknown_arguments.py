"""Where one argument of a call is unknown, what is held possible contains what torch does."""

from benchmarks.unknown_arguments import main


def test_what_is_held_possible_contains_what_torch_does() -> None:
    tally = main(5, 20)
    assert tally.calls == 100
    assert tally.share >= 0.995
