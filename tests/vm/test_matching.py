"""Patterns of `match`: what fits, and what that binds."""

import pytest

from tests.vm.running import certain, kinds, taking

POINT = """
from dataclasses import dataclass
@dataclass
class Point:
    x: object
    y: object = None
"""
MATCH = (
    "match {subject}:\n    case {pattern}:\n        pass\n    case _:\n        g = torch.ones(3)"
)
SAVED = ["saved-tensor-modified"]


@pytest.mark.parametrize(
    ("subject", "pattern", "fits"),
    [
        ("('a', h)", "('a', g)", True),
        ("('a', h)", "('b', g)", False),
        ("('a', h)", "(_, _, g)", False),
        ("[1, 2, h]", "[1, *_, g]", True),
        ("[h]", "[_, *_, g]", False),
        ("{'a': h, 'b': 1}", "{'a': g, **others}", True),
        ("{'b': h}", "{'a': g}", False),
        ("Point(1, y=h)", "Point(1, g)", True),
        ("Point(1, y=h)", "Point(y=g, x=2)", False),
        ("(None, h)", "(None, g)", True),
        ("('b', h)", "('a' | 'b', g)", True),
        ("('a', (1, h))", "(str(), (int(_), torch.Tensor() as g))", True),
        ("'a'", "(_, g)", False),
    ],
)
def test_a_value_that_is_known_fits_as_python_says(subject: str, pattern: str, fits: bool) -> None:
    text = taking(MATCH.format(subject=subject, pattern=pattern), POINT)
    assert certain(text) == (SAVED if fits else [])


def test_what_is_not_known_binds_what_is_not_known() -> None:
    taken = MATCH.format(subject="(torch.load('a'), h)", pattern="({'a': g}, _)")
    assert kinds(taking(taken, POINT)) == []
