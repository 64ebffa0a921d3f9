"""Operators are observed while anything is new; how often then."""

from autograd_lint.live.attention import Attention
from autograd_lint.live.sites import Sites

SITE = Sites(__file__).here(0)


def rounds(attention: Attention, number: int, nodes: int = 5) -> list[bool]:
    """Whether each round of so many is observed, all of which run the same operator."""
    observed = [True]
    for _ in range(number):
        if observed[-1]:
            attention.sees("exp", SITE, made_node=True)
        goes_on = attention.ends_round("backward", nodes)
        if goes_on:
            attention.woken()
        elif observed[-1]:
            attention.rested()
        observed.append(goes_on)
    return observed[:number]


def test_the_first_rounds_and_then_ever_fewer_are_observed() -> None:
    observed = [number for number, one in enumerate(rounds(Attention(), 70)) if one]
    assert observed == [0, 1, 2, 3, 12, 29, 62]


def test_a_new_operator_in_a_round_lets_it_go_on() -> None:
    attention = Attention()
    for name in ("exp", "sin", "cos", "tan", "sqrt", "log"):
        attention.sees(name, SITE, made_node=True)
        assert attention.ends_round("backward", 5)


def test_a_round_with_other_nodes_wakes_it() -> None:
    attention = Attention()
    assert not rounds(attention, 6)[-1]
    assert attention.ends_round("backward", 6)


def test_two_places_of_backward_are_a_period() -> None:
    attention, observed = Attention(), 0
    while attention.rests == 0:
        attention.sees("exp", SITE, made_node=True)
        if not attention.ends_round(observed % 2, 5):
            attention.rested()
        observed += 1
    assert observed == 6


def test_many_operators_without_anything_new_are_enough() -> None:
    attention = Attention()
    seen = [attention.sees("exp", SITE, made_node=True) for _ in range(10_001)]
    assert seen.index(False) == 10_000


def test_without_a_graph_a_tenth_of_them_is() -> None:
    attention = Attention()
    seen = [attention.sees("exp", SITE, made_node=False) for _ in range(1_001)]
    assert seen.index(False) == 1_000


def test_of_long_rounds_more_is_observed() -> None:
    attention = Attention()
    while attention.sees("exp", SITE, made_node=True):
        pass
    attention.rested()
    assert attention.ends_round("backward", 10_000)
    attention.woken()
    assert all(attention.sees("exp", SITE, made_node=True) for _ in range(15_000))


def test_a_discovery_counts_as_new() -> None:
    attention = Attention()
    rounds(attention, 6)
    attention.discovers()
    attention.woken()
    assert attention.ends_round("backward", 5)
