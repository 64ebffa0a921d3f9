"""`itertools` and `operator`: what goes through elements, and what takes one out of an object."""

import pytest

from tests.vm.running import certain, kinds, taking

IMPORTS = "import itertools\nimport operator\nfrom types import SimpleNamespace"


@pytest.mark.parametrize(
    "taken",
    [
        "g = list(itertools.chain([1], [h]))[1]",
        "g = list(itertools.chain.from_iterable([[1], [h]]))[1]",
        "g = next(itertools.islice([1, h, 2], 1, None))",
        "g = next(itertools.cycle([h]))",
        "for _, g in zip(range(2), itertools.cycle([h])): pass",
        "g = list(itertools.repeat(h, 3))[2]",
        "g = list(itertools.accumulate([1, h], lambda one, other: other))[1]",
        "g = list(itertools.starmap(lambda one, other: other, [(1, h)]))[0]",
        "first, second = itertools.tee([h])\ng = next(second)",
        "for key, rows in itertools.groupby([(1, h)], key=lambda row: row[0]):\n"
        "    g = list(rows)[0][1]",
        "for one, g in itertools.product([1, 2], [h]): pass",
        "for one, g in itertools.zip_longest([1], [h]): pass",
        "for one, g in itertools.combinations([1, h], 2): pass",
        "for one, g in itertools.pairwise([1, h]): pass",
        "g = operator.itemgetter('a')({'a': h})",
        "one, g = operator.itemgetter(0, 1)([1, h])",
        "g = operator.attrgetter('inner.value')(SimpleNamespace(inner=SimpleNamespace(value=h)))",
    ],
)
def test_an_element_is_what_it_was(taken: str) -> None:
    assert certain(taking(taken, IMPORTS)) == ["saved-tensor-modified"]


def test_what_is_left_out_is_not_among_the_elements() -> None:
    taken = "g = next(itertools.islice([h, torch.ones(3)], 1, None))"
    assert kinds(taking(taken, IMPORTS)) == []


@pytest.mark.parametrize(
    "taken",
    [
        "for g in itertools.cycle(loader): break",
        "for g in itertools.islice(loader, 10): break",
        "for one, g in itertools.product(loader, loader): break",
    ],
)
def test_of_what_is_not_known_nothing_is_computed(taken: str) -> None:
    text = f"import itertools\ndef f(loader):\n    {taken}\n    g.mul_(2)\n    g.sum().backward()\n"
    assert certain(text) == []


@pytest.mark.parametrize(
    "called",
    [
        *("islice()", "islice([1], -1)", "islice([1], 0, 3, 0)", "islice([1])", "cycle()", "tee()"),
        *("product([1], repeat=10**9)", "combinations([1], -1)", "permutations([1], 'a')"),
        *("zip_longest([1], strict=3)", "groupby(3)", "starmap(print, 3)", "accumulate([])"),
        *("islice([1], 10**30)", "permutations([1], 10**30)", "tee([1], 10**30)"),
        *("repeat(1, 10**12)", "pairwise()", "chain.from_iterable()", "accumulate()"),
    ],
)
def test_a_call_that_python_refuses_or_never_ends_is_no_matter(called: str) -> None:
    assert kinds(f"import itertools\nfound = itertools.{called}\n") == []


@pytest.mark.parametrize("made", ["itemgetter()", "itemgetter(0)()", "attrgetter(3)(1)"])
def test_a_getter_may_be_given_nothing(made: str) -> None:
    assert kinds(f"import operator\nfound = operator.{made}\n") == []
