"""Views of what is brought to one shape, and tensors that have it already."""

import pytest

from tests.vm.running import certain, kinds

SHARED = """
a = torch.rand(4, 3, requires_grad=True)
b = {made}
loss = b.norm()
a.detach().add_(1)
loss.backward()
"""


@pytest.mark.parametrize(
    "made",
    [
        "torch.broadcast_tensors(a)[0]",
        "torch.broadcast_tensors(a, torch.ones(3))[0]",
        "torch.broadcast_tensors(torch.ones(2, 1, 1), a)[1]",
        "torch.atleast_1d(a)",
        "torch.atleast_2d(a, torch.ones(3))[0]",
    ],
)
def test_the_memory_is_that_of_the_tensor(made: str) -> None:
    assert certain(SHARED.format(made=made)) == ["saved-tensor-modified"]


def test_what_is_broadcast_is_none_of_the_others() -> None:
    assert kinds(SHARED.format(made="torch.broadcast_tensors(a, a.exp())[1].clone()")) == []


@pytest.mark.parametrize(("rank", "found"), [(1, ["leaf-modified"]), (2, ["leaf-view-modified"])])
def test_a_tensor_that_has_enough_dimensions_is_given_back(rank: int, found: list[str]) -> None:
    text = f"a = torch.zeros(3, requires_grad=True)\nh = torch.atleast_{rank}d(a)\nh /= 2\n"
    assert kinds(text) == found


@pytest.mark.parametrize(
    "made",
    [
        "a.repeat_interleave(2, 0)",
        "torch.nn.functional.prelu(a, torch.ones(()))",
        "torch.t_copy(a)",
        "torch.broadcast_tensors(a, torch.ones(1))[0]",
    ],
)
def test_the_shape_is_known(made: str) -> None:
    text = f"a = torch.zeros(2, 2, requires_grad=True)\n{made}.backward()\n"
    assert certain(text) == ["non-scalar-root"]
