"""What the code around a function, class or call has seen to: nothing is told of it."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, kinds

UPDATE = """
class Agent:
    def __init__(self, width):
        self.critic = nn.Linear(width, 1)
        self.opt = torch.optim.Adam(self.critic.parameters(), 1e-3)

    def update(self, states, n):
        values = self.critic(states)
        {}
        for _ in range(n):
            loss = (self.critic(states) - values).pow(2).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
"""


@pytest.mark.parametrize(
    ("switch", "found"),
    [("torch.set_grad_enabled(True)", False), ("print(values)", True)],
)
def test_who_switches_grad_mode_on_has_been_called_without(switch: str, found: bool) -> None:
    assert bool(kinds(UPDATE.format(switch))) == found


DETECT = """
class Detect(torch.autograd.Function):
    {}
    def forward(self, x):
        self.boxes = x.data * 2
        return self.boxes

detect = Detect()
"""


def test_an_object_that_makes_itself_is_one_like_others() -> None:
    for body, told in (("def __init__(self):\n        self.n = 3\n", False), ("n = 3\n", True)):
        found = analyse(Source("a.py", HEAD + DETECT.format(body)))
        assert ("custom-function" in [one.kind.value for one in found]) is told


STATISTICS = """
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mean):
        mean.mul_(0.9)
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2, {}
"""


@pytest.mark.parametrize(("gradient", "found"), [("None", False), ("gradient", True)])
def test_what_gets_no_gradient_is_data(gradient: str, found: bool) -> None:
    assert ("not-marked-dirty" in kinds(STATISTICS.format(gradient))) == found


def test_gradients_of_nothing_are_refused_where_the_program_asks_for_them() -> None:
    asked = "torch.autograd.grad(torch.ones(2, requires_grad=True).sum(), [p for p in {}])\n"
    assert kinds(asked.format("()")) != []
    assert kinds("def f(x, modules=()):\n    return " + asked.format("modules")) == []


@pytest.mark.parametrize(
    ("index", "found"),
    [
        ("torch.arange(3), labels", []),
        ("labels, [0, 1]", []),
        ("0, 0", ["saved-tensor-modified"]),
    ],
)
def test_a_tensor_among_the_parts_of_an_index_makes_a_copy(index: str, found: list[str]) -> None:
    text = (
        "class Head(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.zeros(3, 3))\n"
        "    def forward(self, x, labels):\n"
        "        cos = x @ self.weight\n"
        f"        target = cos[{index}].pow(2)\n"
        "        cos[0] = 1.0\n"
        "        return cos * target\n"
    )
    assert kinds(text) == found


def test_a_tuple_of_unknown_length_is_hardly_known() -> None:
    text = (
        "def unpacked(parts):\n"
        "    if isinstance(parts, tuple):\n"
        "        return tuple(unpacked(part) for part in parts)\n"
        "    return parts.sum(0)\n"
        "def act(model, x):\n"
        "    with torch.no_grad():\n"
        "        action, value = unpacked(model(x))\n"
        "    return value.cpu().numpy()\n"
    )
    assert kinds(text) == []
