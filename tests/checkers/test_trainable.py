"""Constants that an option makes parameters of, in modules that compute without gradients."""

import pytest

from autograd_lint.evidence.wording import worded
from tests.vm.running import faults, kinds

BANK = """
class Bank(nn.Module):
    def __init__(self, size, learnable={default}):
        super().__init__()
        self.bank = torch.ones(size)
        if learnable:
            self.bank = {made}
    def forward(self, x):
        {around}
            features = x * self.bank
        return features
"""


def rows(
    made: str = "nn.Parameter(self.bank / 2)",
    around: str = "with torch.no_grad():",
    default: bool = False,
) -> list[int]:
    found = faults(BANK.format(made=made, around=around, default=default))
    vain = [fault for fault in found if fault.kind.value == "trainable-in-vain"]
    assert all("`learnable` holds in line 8" in map(worded, fault.assumptions) for fault in vain)
    return [fault.place.row for fault in vain if fault.place]


@pytest.mark.parametrize("default", [True, False])
def test_an_option_without_effect_is_told_where_gradients_are_off(default: bool) -> None:
    assert rows(default=default) == [11]


@pytest.mark.parametrize(
    ("made", "around"),
    [
        ("nn.Parameter(self.bank / 2)", "if True:"),
        ("nn.Parameter(self.bank / 2)", "with torch.set_grad_enabled(self.bank.requires_grad):"),
        ("nn.Parameter(self.bank / 2, requires_grad=False)", "with torch.no_grad():"),
        ("self.bank / 2", "with torch.no_grad():"),
    ],
)
def test_what_is_trained_and_what_is_not_wanted_to_be(made: str, around: str) -> None:
    assert rows(made, around) == []


CODES = """
class Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Embedding(8, 4)

    def forward(self, x):
        near = torch.argmin(torch.cdist(x, self.codes.weight), dim=1)
        coded = self.codes.weight[near]
        {update}
        return nn.functional.mse_loss(coded.detach(), x)

model, codes = nn.Linear(4, 4), Codes()
optimizer = torch.optim.Adam([*model.parameters(), *codes.parameters()])
for _ in range(3):
    loss = codes(model(torch.rand(5, 4)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_what_a_module_replaces_itself_needs_no_gradient() -> None:
    moved = "self.codes.weight = nn.Parameter(0.9 * self.codes.weight + 0.1)"
    assert kinds(CODES.format(update=moved)) == []
    assert kinds(CODES.format(update="pass")) == ["gradient-cut"]


CONSTANT = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.weight = nn.Parameter(torch.rand(4, 4))
        {register}

    def forward(self, x):
        return torch.mm(self.layer(x), torch.autograd.Variable(self.weight).data).sum()

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.rand(2, 4)).backward()
    optimizer.step()
"""


def test_a_parameter_that_is_a_buffer_as_well_needs_no_gradient() -> None:
    assert kinds(CONSTANT.format(register="self.register_buffer('fixed', self.weight)")) == []
    assert kinds(CONSTANT.format(register="pass")) == ["gradient-cut"]


OPTIONAL = """
class Features(nn.Module):
    def __init__(self, project):
        super().__init__()
        self.scale = torch.ones(3)
        if project:
            self.top = nn.Linear(3, 3)
    def forward(self, x):
        with torch.no_grad():
            return self.top(x * self.scale)
"""


def test_an_option_for_another_layer_says_nothing_of_training_it() -> None:
    assert not [fault for fault in faults(OPTIONAL) if fault.kind.value == "trainable-in-vain"]
