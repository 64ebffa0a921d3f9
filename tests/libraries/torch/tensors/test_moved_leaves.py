"""Leaves that are made and moved in one: on another device the name means a copy."""

import pytest

from autograd_lint.evidence.wording import worded
from tests.vm.running import certain, faults, kinds

ATTACK = """
def attack(model, image, label, device):
    image = {}
    loss = torch.nn.functional.cross_entropy(model(image), label)
    loss.backward()
    return image.grad.sign()
"""
IMAGE = """
def paint(model, device):
    image = {}
    opt = torch.optim.Adam([image])
    for _ in range(3):
        opt.zero_grad()
        model(image).sum().backward()
        opt.step()
"""
MADE = [
    "torch.tensor(image, requires_grad=True).to(device)",
    "torch.randn(3, requires_grad=True).to(device)",
]


@pytest.mark.parametrize("made", MADE)
def test_the_gradient_of_the_copy_is_asked_for(made: str) -> None:
    (fault,) = faults(ATTACK.format(made))
    assert fault.kind.value == "non-leaf-grad"
    assert "`device` is not the CPU" in {worded(a) for a in fault.assumptions}


def test_the_optimizer_is_given_the_copy() -> None:
    text = IMAGE.format(MADE[1])
    assert kinds(text) == ["non-leaf-optimizer"] and certain(text) == []


@pytest.mark.parametrize(
    "made",
    [
        "torch.randn(3).to(device).requires_grad_()",
        "torch.randn(3, requires_grad=True, device=device)",
        "torch.randn(3, requires_grad=True).to(torch.device('cpu'))",
    ],
)
def test_a_leaf_that_is_made_last_is_one(made: str) -> None:
    assert kinds(ATTACK.format(made)) == []
    assert kinds(IMAGE.format(made)) == []


@pytest.mark.parametrize(
    "made",
    [
        "torch.ones(3, requires_grad=True, device=device).to(device)",
        "torch.zeros_like(model.mean, requires_grad=True).to(model.mean.device)",
    ],
)
def test_a_leaf_that_is_moved_to_where_it_was_made_is_one(made: str) -> None:
    assert kinds(ATTACK.format(made)) == []
    assert kinds(IMAGE.format(made)) == []


@pytest.mark.parametrize(
    "made",
    [
        "torch.ones(3, requires_grad=True, device='cpu').to(device)",
        "torch.zeros_like(model.mean, requires_grad=True).to(device)",
    ],
)
def test_a_leaf_that_is_moved_to_another_device_than_it_was_made_on_is_copied(made: str) -> None:
    assert kinds(IMAGE.format(made)) == ["non-leaf-optimizer"]


def test_a_leaf_with_another_name_may_be_asked_for() -> None:
    text = ATTACK.replace("model(image)", "model(image.to(device))")
    assert kinds(text.format("torch.randn(3, requires_grad=True)")) == []


BLOCKS = """
class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, prompt):
        x = self.layer(x)
        loss = torch.zeros((1,), requires_grad=True).to({device})
        loss += prompt
        return x.mean() + loss
"""


@pytest.mark.parametrize(
    ("device", "found"), [("x.device", False), ("self.layer.weight.device", False), ("'cpu'", True)]
)
def test_the_device_of_what_is_given_may_be_another_one(device: str, found: bool) -> None:
    assert bool(kinds(BLOCKS.format(device=device))) is found


def test_the_program_itself_shows_where_its_tensors_are() -> None:
    text = "x = torch.ones(3)\nw = torch.ones(3, requires_grad=True).to(x.device)\nw += 1\n"
    assert certain(text) == ["leaf-modified"]


ON_CUDA = """
x = torch.randn(3)
if torch.cuda.is_available():
    v = x.{}.requires_grad_()
    torch.optim.SGD([v.{}], lr=0.1)
"""


@pytest.mark.parametrize("moved", ["cuda()", "to('cuda')", "to(device='cuda')"])
def test_what_is_on_a_device_already_is_the_same_leaf(moved: str) -> None:
    assert kinds(ON_CUDA.format("cuda()", moved)) == []


@pytest.mark.parametrize("moved", ["cuda(1)", "to('cuda:1')", "cpu()"])
def test_another_device_needs_a_copy(moved: str) -> None:
    assert kinds(ON_CUDA.format("cuda()", moved)) == ["non-leaf-optimizer"]
