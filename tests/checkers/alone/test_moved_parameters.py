"""Parameters that are moved to a device as they are assigned."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = {value}
"""


@pytest.mark.parametrize(
    "value", ["nn.Parameter(torch.ones(2)).to(device)", "nn.Parameter(torch.ones(2)).cuda()"]
)
def test_a_parameter_that_is_moved_is_told(value: str) -> None:
    assert Pitfall.UNREGISTERED in noted(TEXT.format(value=value))


@pytest.mark.parametrize(
    "value",
    [
        "nn.Parameter(torch.ones(2).to(device))",
        "nn.Parameter(torch.ones(2).to(device)).to(device)",
        "nn.Parameter(torch.ones(2, device=device)).to(device)",
        "nn.Parameter(vectors).to(device)",
        "nn.Parameter(torch.ones(2), requires_grad=False).to(device)",
        "nn.Parameter(torch.ones(2)).to('cpu')",
        "nn.Linear(2, 2).to(device)",
        "torch.ones(2).to(device)",
    ],
)
def test_what_is_moved_before_or_is_none_is_quiet(value: str) -> None:
    assert Pitfall.UNREGISTERED not in noted(TEXT.format(value=value))
