"""The forms of an operator: its cases, split by kinds of arguments until each group agrees.

A greedy decision tree, written down as a list: the groups whose tests hold come first, the group
of the plain call (the first case) comes last and has no tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograd_lint.operators.facts import Form, Test
from autograd_lint.operators.measure.fit import Fit, fit
from autograd_lint.operators.measure.trials import Case

_ABSENT = frozenset({"absent"})
_MOST_FORMS = 10
# A split must explain more than it costs the reader.
_LEAST_GAIN = 1
# Agreement in the number of results, in writes and in edges outweighs a shape.
_WEIGHTS = {"shape": 2, "dtype": 2, "alias": 2, "gap": 2}
_SPECIAL = frozenset(
    {"int", "float", "zero", "float-tensor", "int-tensor", "bool-tensor", "complex-tensor"}
)


@dataclass(frozen=True)
class _Split:
    test: Test
    yes: tuple[Case, ...]
    no: tuple[Case, ...]
    cost: int


def learn(cases: Sequence[Case]) -> tuple[Form, ...]:
    """The forms of an operator, the first case's last; cases must not be empty."""
    return tuple(_without_repetitions(_grow(tuple(cases), (), _MOST_FORMS)))


def _without_repetitions(forms: list[Form]) -> list[Form]:
    """The forms without those that say nothing else than the more general one that follows."""
    kept: list[Form] = []
    for form in reversed(forms):
        if not kept or not _says(kept[0], form):
            kept.insert(0, form)
    return kept


def _says(general: Form, special: Form) -> bool:
    return (
        set(general.tests) <= set(special.tests)
        and replace(general, tests=special.tests) == special
    )


def _grow(cases: tuple[Case, ...], tests: tuple[Test, ...], most: int) -> list[Form]:
    whole = fit(cases)
    split = _best_split(cases, whole) if whole.conflicts and most > 1 else None
    if split is None:
        return [replace(whole.form, tests=_strictest(tests))]
    yes = _grow(split.yes, (*tests, split.test), most - 1)
    return [*yes, *_grow(split.no, tests, most - len(yes))]


def _strictest(tests: tuple[Test, ...]) -> tuple[Test, ...]:
    """The tests without those that a stricter one of the same argument implies."""
    return tuple(
        test
        for test in tests
        if not any(other.key == test.key and other.kinds < test.kinds for other in tests)
    )


def _best_split(cases: tuple[Case, ...], whole: Fit) -> _Split | None:
    splits = [_split(cases, test) for test in _tests(cases)]
    if not splits:
        return None
    best = min(splits, key=lambda split: (split.cost, _taste(split)))
    return best if best.cost + _LEAST_GAIN < _cost(whole, len(cases)) else None


def _split(cases: tuple[Case, ...], test: Test) -> _Split:
    yes = tuple(case for case in cases if _holds(test, case))
    no = tuple(case for case in cases if not _holds(test, case))
    return _Split(test, yes, no, _cost(fit(yes), len(yes)) + _cost(fit(no), len(no)))


def _cost(found: Fit, cases: int) -> int:
    """How much is said of how many cases that is not true of all of them."""
    return cases * sum(_WEIGHTS.get(conflict.split()[-1], 4) for conflict in found.conflicts)


def _taste(split: _Split) -> tuple[bool, int, int, str, tuple[str, ...]]:
    """Among equally good tests: an argument given, a general kind, few kinds, an early key."""
    kinds = split.test.kinds
    special = sum(map(_is_special, kinds))
    return ("absent" in kinds, special, len(kinds), split.test.key, tuple(sorted(kinds)))


def _tests(cases: tuple[Case, ...]) -> list[Test]:
    """Tests that the first case fails and some other case passes."""
    keys = sorted({key for case in cases for key in case.kinds})
    return [Test(key, kinds) for key in keys for kinds in _kind_sets(cases, key)]


def _kind_sets(cases: tuple[Case, ...], key: str) -> list[frozenset[str]]:
    found = [case.kinds.get(key, _ABSENT) for case in cases]
    others = frozenset().union(*found) - found[0]
    passing = [_general(kinds & others) for kinds in found[1:] if kinds & others]
    sets = [frozenset({kind}) for kind in sorted(others)]
    together = frozenset().union(*passing)
    return [*sets, together] if len(together) > 1 else sets


def _general(kinds: frozenset[str]) -> frozenset[str]:
    general = frozenset(kind for kind in kinds if not _is_special(kind))
    return general or kinds


def _is_special(kind: str) -> bool:
    return kind in _SPECIAL or kind.startswith("=")


def _holds(test: Test, case: Case) -> bool:
    return not case.kinds.get(test.key, _ABSENT).isdisjoint(test.kinds)
