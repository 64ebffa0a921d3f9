"""What is assumed of arguments that nobody is seen to give."""

import pytest

from tests.interpreter.running import kinds

SCALED = """
def scaled(points, {scale}):
    moved = scale.clone()
    root = moved.sigmoid()
    root.mul_(2)
    return root
"""


@pytest.mark.parametrize(
    ("scale", "found"),
    [("scale", ["saved-tensor-modified"]), ("scale=None", []), ("*, scale=None", [])],
)
def test_what_need_not_be_given_hardly_requires_grad(scale: str, found: list[str]) -> None:
    assert kinds(SCALED.format(scale=scale)) == found
