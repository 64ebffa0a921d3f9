"""Numbers that functions return in the place of tensors, and where they come from."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source
from tests.vm.running import HEAD

FITTING = """
def finite(term):
    {body}

net = nn.Linear(2, 1)
{loss}
loss.backward()
"""


@pytest.mark.parametrize(
    ("body", "loss", "origin"),
    [
        (
            "if not torch.isfinite(term):\n        return 0.0\n    return term",
            "loss = finite(net(torch.ones(2)).mean())",
            "0.0",
        ),
        (
            "return 1 if torch.isnan(term) else term",
            "each = finite(net(torch.ones(2)).mean())\nloss = 0.5 * each",
            "1",
        ),
        (
            "return 1 if torch.isnan(term) else term",
            "loss = -(2 + finite(net(torch.ones(2)).mean()))",
            "1",
        ),
        (
            "total = 0\n    if torch.isfinite(term):\n        total = term\n    return total",
            "loss = finite(net(torch.ones(2)).mean())",
            "total",
        ),
    ],
)
def test_a_number_is_followed_to_the_return_that_it_comes_from(
    body: str, loss: str, origin: str
) -> None:
    text = HEAD + FITTING.format(body=body, loss=loss)
    (fault,) = analyse(Source("a.py", text))
    place = fault.noted[0].place
    assert place is not None
    line = text.splitlines()[place.row - 1]
    assert line[place.column - 1 : place.end_column - 1] == origin


def test_a_number_of_the_code_itself_has_no_return() -> None:
    (fault,) = analyse(Source("a.py", HEAD + "loss = 0.0\nloss.backward()\n"))
    assert fault.noted == ()
