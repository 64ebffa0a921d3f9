"""Adapters that are frozen together with the layers that they were put around."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

PROGRAM = """
class Adapter(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.scale = layer, nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.layer(x) * self.scale

{}
loss = F.mse_loss(model(loader[0][0]), loader[0][1])
loss.backward()
"""
WRAP = "model[0] = Adapter(model[0])"
FREEZE = "for p in model[0].parameters(): p.requires_grad = False"


def test_an_adapter_that_is_frozen_with_its_layer_is_not_trained() -> None:
    assert rows(PROGRAM.format(f"{WRAP}\n{FREEZE}"), Pitfall.ADAPTER_FROZEN) == [11]


@pytest.mark.parametrize(
    "steps",
    [
        f"{FREEZE}\n{WRAP}",
        f"{WRAP}\n{FREEZE}\nmodel[0].scale.requires_grad = True",
        f"{WRAP}\nfor p in model[0].layer.parameters(): p.requires_grad = False",
        f"{WRAP}\nmodel[0].scale.requires_grad = False",
        f"{WRAP}\n{FREEZE}\nmodel.requires_grad_(True)",
    ],
)
def test_an_adapter_that_is_trained_or_frozen_by_itself_is_let_be(steps: str) -> None:
    assert rows(PROGRAM.format(steps), Pitfall.ADAPTER_FROZEN) == []


HEAD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 3), nn.Linear(3, 2)

    def forward(self, x):
        return self.head(self.body(x))

net, prompt = Net(), nn.Parameter(torch.zeros(4))
{}
opt = torch.optim.SGD([{}], lr=0.1)
for x, y in loader:
    opt.zero_grad()
    net(x + prompt).sum().backward()
    opt.step()
"""
NEW = "net.head = nn.Linear(3, 5)"
STILL = "net.requires_grad_(False)"
BOTH = "prompt, *net.head.parameters()"


def test_a_new_head_that_is_frozen_with_the_rest_is_not_trained() -> None:
    assert rows(HEAD.format(f"{NEW}\n{STILL}", BOTH), Pitfall.ADAPTER_FROZEN) == [12]
    bias = f"{NEW}\n{STILL}\nnet.body.bias.requires_grad_(True)"
    assert rows(HEAD.format(bias, BOTH), Pitfall.ADAPTER_FROZEN) == [12]


@pytest.mark.parametrize(
    ("steps", "trained"),
    [
        (f"{STILL}\n{NEW}", BOTH),
        (STILL, BOTH),
        (f"{NEW}\n{STILL}", "prompt"),
        (f"{NEW}\nnet.head.requires_grad_(False)", BOTH),
        (f"{NEW}\n{STILL}\nnet.head.requires_grad_(True)", BOTH),
        (f"{NEW}\nnet.load_state_dict(torch.load('net.pt'))\n{STILL}", BOTH),
        (f"{NEW}\nwith torch.no_grad(): net.head.weight.copy_(known)\n{STILL}", BOTH),
    ],
)
def test_a_head_that_is_frozen_on_purpose_is_let_be(steps: str, trained: str) -> None:
    assert rows(HEAD.format(steps, trained), Pitfall.ADAPTER_FROZEN) == []


def test_a_model_of_which_nothing_is_left_to_train_is_an_error_and_told_as_one() -> None:
    text = HEAD.format(f"{NEW}\n{STILL}", "*net.head.parameters()").replace(" + prompt", "")
    assert rows(text, Pitfall.ADAPTER_FROZEN) == []
