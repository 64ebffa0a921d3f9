"""Indices that are written after elements were picked with them."""

import pytest

from tests.vm.running import kinds

DEDUPE = """
def dedupe(keys, values):
    mask = torch.gt(keys[1:], keys[:-1])
    picked = {values}[:, mask]
    mask.logical_not_()
    return picked, mask
"""


@pytest.mark.parametrize(
    ("values", "found"),
    [("values", []), ("torch.exp(values)", ["saved-tensor-modified"])],
)
def test_what_is_only_picked_from_may_be_indices(values: str, found: list[str]) -> None:
    assert kinds(DEDUPE.format(values=values)) == found
