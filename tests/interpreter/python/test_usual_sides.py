"""Which side of an unknown `if` a run takes first."""

from autograd_lint.engine.faults import FaultKind
from tests.interpreter.running import kinds

CHECKED = """
def check(edges):
    if isinstance(edges, torch.Tensor):
        assert edges.dtype == torch.long
        return edges
    elif isinstance(edges, tuple):
        return edges[0]
    {then}

class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, x, edges):
        out = torch.relu(self.lin(x))
        check(edges)
        out += 1
        return out
"""


def test_what_would_only_raise_is_not_the_usual_side() -> None:
    text = CHECKED.format(then="raise ValueError('edges')")
    assert kinds(text) == [FaultKind.SAVED_TENSOR_MODIFIED.value]


def test_who_leaves_early_is_not_the_usual_one_else() -> None:
    text = """
def clipped(x, least):
    y = torch.exp(x)
    if least is None:
        return y
    y += 1
    return y.sum()
"""
    assert kinds(text) == [FaultKind.SAVED_TENSOR_MODIFIED.value]
