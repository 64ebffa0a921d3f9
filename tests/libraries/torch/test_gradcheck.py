"""`gradcheck` calls its function and walks back from the result."""

import pytest

from tests.vm.running import certain

CHECKED = """
def doubled(x):
    y = x.exp()
    {write}
    return y

x = torch.ones(3, dtype=torch.double, requires_grad=True)
torch.autograd.{check}(doubled, (x,))
"""


@pytest.mark.parametrize("check", ["gradcheck", "gradgradcheck"])
def test_what_the_function_writes_is_found(check: str) -> None:
    assert certain(CHECKED.format(write="y.mul_(2)", check=check)) == ["saved-tensor-modified"]


@pytest.mark.parametrize("check", ["gradcheck", "gradgradcheck"])
def test_a_correct_function_is_fine(check: str) -> None:
    assert certain(CHECKED.format(write="y = y * 2", check=check)) == []


def test_the_graph_is_kept_for_what_follows() -> None:
    text = CHECKED.format(write="y = y * 2", check="gradcheck")
    assert certain(text + "doubled(x).sum().backward()\n") == []
