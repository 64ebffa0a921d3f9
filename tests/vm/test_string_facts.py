"""Texts of which some letters were taken out."""

import pytest

from tests.vm.running import kinds

ASKED = """
w = torch.ones(3, requires_grad=True)
order = str(library.order)
plain = {plain}
"""
WAYS = [
    "if 'r' in plain:\n    w += 1\n",
    "for letter in plain:\n    if letter == 'r':\n        w += 1\n",
    "for i, letter in enumerate(plain):\n    if letter == 'r':\n        w += 1\n",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("plain", "found"),
    [
        ("order", True),
        ("order.replace('r', '')", False),
        ("order.replace('r', 'l').replace('l', '')", False),
        ("order.replace('r', '').replace('l', 'r')", True),
        ("order.replace('lr', '')", True),
        ("order.replace(library.letter, '')", True),
    ],
)
def test_a_letter_that_is_not_there_any_more(plain: str, way: str, found: bool) -> None:
    assert ("leaf-modified" in kinds(ASKED.format(plain=plain) + way)) is found
