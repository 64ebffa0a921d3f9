"""Defaults that the tests of an operator's forms would take for other values of their kind.

What is given its default is measured as if it were not given: a test for any text (`mode`) tells
calls with a text of their own from those without one, and would hold for the default as well.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograd_lint.operators.facts import Form, Test
from autograd_lint.operators.measure.kinds import kinds_of


def mistakable(
    forms: Iterable[Form], defaults: Mapping[str, Any]
) -> tuple[tuple[str, str | float], ...]:
    """The keys of such defaults, each with its value."""
    tests = [test for form in forms for test in form.tests]
    found = dict(_found(tests, defaults))
    return tuple(sorted(found.items()))


def _found(tests: Iterable[Test], defaults: Mapping[str, Any]) -> Iterator[tuple[str, str | float]]:
    for test in tests:
        value = defaults.get(test.key)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            continue
        if not kinds_of(value).isdisjoint(test.kinds):
            yield test.key, value
