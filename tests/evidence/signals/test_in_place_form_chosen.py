"""Code that is there twice, in place and for what needs a graph."""

import pytest

from tests.vm.running import kinds

UPDATE = """
def update(v, scale, inplace):
    if {condition}:
        return {first}
    {then}
"""
WRITES = "scale * v.sqrt().add_(1)"
PLAIN = "return scale * v.sqrt().add(1)"
OTHER = "return scale * v.sqrt()"


@pytest.mark.parametrize(("then", "found"), [(PLAIN, []), (OTHER, ["saved-tensor-modified"])])
@pytest.mark.parametrize("condition", ["inplace", "v.dim() > scale"])
def test_what_is_done_without_writing_where_a_graph_is_needed(
    condition: str, then: str, found: list[str]
) -> None:
    text = UPDATE.format(condition=condition, first=WRITES, then=then)
    assert kinds(text) == found
    otherwise = f"else:\n        {then}"
    assert kinds(UPDATE.format(condition=condition, first=WRITES, then=otherwise)) == found


def test_an_augmented_assignment_has_a_twin() -> None:
    text = """
def update(v, scale):
    y = v.exp()
    if scale:
        y {first}
    else:
        y {then}
    return y
"""
    assert kinds(text.format(first="*= 2", then="= y * 2")) == []
    assert kinds(text.format(first="*= 2", then="= y * 3")) == ["saved-tensor-modified"]


def test_who_runs_backward_needs_the_graph() -> None:
    text = """
def train(v, scale):
    w = torch.ones(3, requires_grad=True)
    y = w.exp()
    if scale:
        y *= 2
    else:
        y = y * 2
    y.sum().backward()
"""
    assert kinds(text) == ["saved-tensor-modified"]


NORMED = """
class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)

    def forward(self, m, {option}):
        m = m.exp()
        update = self.norm(m)
        if {name}:
            m.copy_(update)
        return update
"""


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ("inplace_safe=False", []),
        ("cached=False", ["saved-tensor-modified"]),
        ("inplace_safe=True", ["saved-tensor-modified"]),
    ],
)
def test_who_asks_for_the_form_that_writes_needs_no_graph(option: str, found: list[str]) -> None:
    assert kinds(NORMED.format(option=option, name=option.split("=")[0])) == found
