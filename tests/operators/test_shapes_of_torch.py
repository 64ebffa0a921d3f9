"""No size that the machine gives to a result differs from the one that torch gives."""

from benchmarks.shapes import main


def test_no_result_is_of_another_size_than_the_machine_says() -> None:
    tally = main(2, 120)
    assert tally.right > 100
    assert tally.wrong == []
