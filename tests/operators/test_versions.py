"""Tables of other versions of torch, and how they differ."""

import pytest

from autograd_lint.operators import history
from autograd_lint.operators.facts import GapKind
from autograd_lint.operators.history import alike, eras, spans
from autograd_lint.operators.table import load, nearest, numbers, versions


def test_versions_stand_in_their_order() -> None:
    assert list(versions()) == sorted(versions(), key=numbers)
    assert {"2.4", "2.8", "2.13"} <= set(versions())


@pytest.mark.parametrize("version", versions())
def test_every_operator_of_a_version_can_be_read(version: str) -> None:
    table = load(version)
    assert table.torch_version.startswith(f"{version}.")
    assert all(table.operator(name).forms[-1].tests == () for name in table)


def test_the_version_of_the_table_differs_in_nothing() -> None:
    own = ".".join(load().torch_version.split(".")[:2])
    assert load(own).own_names() == frozenset()


def test_an_operator_that_changed_is_that_of_its_version() -> None:
    gaps = [load(version).operator("channel_shuffle").forms[-1].gaps for version in ("2.4", "2.13")]
    assert [[gap.kind for gap in one] for one in gaps] == [[GapKind.REFUSED], []]


def test_an_operator_that_did_not_change_is_the_same() -> None:
    assert load("2.4").operator("sigmoid") == load("2.13").operator("sigmoid")


def test_what_a_version_has_not_yet_is_not_found() -> None:
    assert load("2.4").find("torch.hash_tensor") is None
    assert load("2.4").lacks("torch.nn.Buffer")
    assert not load("2.13").lacks("torch.nn.Buffer")


@pytest.mark.parametrize(
    ("version", "expected"),
    [((2, 8), "2.8"), ((1, 13), "2.4"), ((9, 0), versions()[-1])],
)
def test_the_nearest_version_is_not_newer_if_there_is_one(
    version: tuple[int, int], expected: str
) -> None:
    assert nearest(version) == expected


def test_the_history_of_an_operator_begins_where_it_came() -> None:
    first, *_ = eras("hash_tensor")
    assert first.operator is None
    assert "2.4" in first.versions


def test_an_operator_that_never_changed_has_one_era() -> None:
    (era,) = eras("sigmoid")
    assert era.versions == versions()


def test_words_that_mean_the_same_everywhere_make_one_group() -> None:
    assert alike({"sigmoid", "x"}) == (versions(),)


def test_what_stands_in_a_module_is_named_with_it() -> None:
    assert alike({"Buffer"}) == (versions(),)
    assert len(alike({"nn", "Buffer"})) == 2


def test_words_that_changed_part_the_versions() -> None:
    groups = alike({"channel_shuffle", "x"})
    assert len(groups) == 2
    assert sum(groups, ()) == versions()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (["2.9"], ["since torch 2.9"]),
        (["2.8", "2.9"], ["since torch 2.8 (not on 2.5)"]),
        (["2.4"], ["up to torch 2.4"]),
        (["2.4", "2.5"], ["up to torch 2.5 (not on 2.8)"]),
        (["2.5", "2.8"], ["on torch 2.5 to 2.8"]),
        (["2.4", "2.9"], ["up to torch 2.4", "since torch 2.9"]),
    ],
)
def test_versions_in_words(
    monkeypatch: pytest.MonkeyPatch, found: list[str], words: list[str]
) -> None:
    monkeypatch.setattr(history, "versions", lambda: ("2.4", "2.5", "2.8", "2.9"))
    assert list(spans(found)) == words


def test_what_no_run_has_asked_for_makes_no_difference() -> None:
    words = {"torch", "combinations"}
    assert len(alike(words)) == len(alike(words, {"combinations"})) > 1
    assert alike(words, {"add"}) == (versions(),)
