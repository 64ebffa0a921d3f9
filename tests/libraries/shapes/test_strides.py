"""Strides as they show: views or copies, memory that overlaps."""

import pytest

from tests.vm.running import certain

LEAF = "w = torch.rand(3, 4, requires_grad=True)\n"


@pytest.mark.parametrize(
    "reshaped",
    [
        "w.reshape(-1)",
        "w.flatten()",
        "w.ravel()",
        "torch.reshape(w, (-1,))",
        "torch.flatten(w)",
        "torch.flatten(input=w, start_dim=0)",
        "torch.ravel(w)",
        "w.t().t().reshape(12)",
        "w[:2].reshape(8)",
        "w.t().reshape(4, 3, 1)",
    ],
)
def test_reshaping_is_a_view_where_the_memory_allows(reshaped: str) -> None:
    assert certain(f"{LEAF}{reshaped}.add_(1)\n") == ["leaf-view-modified"]


@pytest.mark.parametrize(
    "reshaped",
    [
        *("w.t().reshape(-1)", "w[:, :2].reshape(6)", "w.t().contiguous().view(-1)"),
        *("torch.reshape(w.t(), (-1,))", "torch.flatten(w[:, :2])"),
    ],
)
def test_reshaping_is_a_copy_where_the_memory_does_not_allow(reshaped: str) -> None:
    assert certain(f"{LEAF}{reshaped}.add_(1)\n") == []


def test_flattening_a_vector_is_the_vector() -> None:
    text = "v = torch.rand(3, requires_grad=True)\nv.flatten().add_(1)\n"
    assert certain(text) == ["leaf-modified"]


@pytest.mark.parametrize("write", ["x.add_(1)", "x += 1", "x[:, 0] = 1.0", "x[...] = 2.0"])
def test_expanded_memory_is_not_written(write: str) -> None:
    assert certain(f"x = torch.rand(3).expand(3, 3)\n{write}\n") == ["other"]


@pytest.mark.parametrize(
    "write",
    ["x[0] = 1.0", "x[0].add_(1)", "x.zero_()", "x.masked_fill_(x > 0, 0.0)", "x[x > 0] = 0.0"],
)
def test_what_does_not_overlap_may_be_written(write: str) -> None:
    assert certain(f"x = torch.rand(3).expand(3, 3)\n{write}\n") == []
