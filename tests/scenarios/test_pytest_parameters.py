"""What pytest gives the arguments of a test."""

import pytest

from tests.vm.running import kinds

TEST = """
import pytest

@pytest.mark.parametrize("inplace", {values})
def test_it(inplace):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    if inplace:
        y.add_(1)
    y.sum().backward()
"""


@pytest.mark.parametrize(
    ("values", "found"),
    [("[False]", []), ("[True]", ["saved-tensor-modified"]), ("FLAGS", ["saved-tensor-modified"])],
)
def test_the_one_value_that_a_test_is_given(values: str, found: list[str]) -> None:
    assert kinds(TEST.format(values=values)) == found
