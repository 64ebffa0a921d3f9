"""All mistakes of a program are found in one run, and each is told once."""

import pytest

from tests.vm.running import faults

HEAD = "w = torch.ones(3, requires_grad=True)\n"


def rows(text: str) -> list[tuple[str, int]]:
    """Kind of every fault, and the row at which it is told, without the two rows of imports."""
    return [(fault.kind.value, fault.place.row - 2) for fault in faults(text) if fault.place]


@pytest.mark.parametrize(
    "mistake",
    [
        "w += 1\n",
        "w[0] = 1\n",
        "(w * 2).sum().detach().backward()\n",
        "(w * 2).backward()\n",
        "(w * 2).numpy()\n",
        "(w * 2).requires_grad = False\n",
        "torch.optim.SGD([w * 2], 0.1)\n",
        "h = w.exp(); h.mul_(2); h.sum().backward()\n",
        "h = w.exp().sum(); h.backward(); h.backward()\n",
        "torch.autograd.grad((w * 2).sum(), torch.ones(3, requires_grad=True))\n",
        "a, b = (w * 2).chunk(2); a.mul_(2)\n",
        "nn.Parameter(torch.arange(3))\n",
    ],
)
def test_a_mistake_hides_no_other(mistake: str) -> None:
    again = "v = torch.ones(3, requires_grad=True)\nv += 1\n"
    found = rows(HEAD + mistake + again)
    assert [row for _, row in found][1:] == [len((HEAD + mistake + again).splitlines())]


def test_an_error_that_is_caught_ends_what_is_tried() -> None:
    text = HEAD + "try:\n    w += 1\n    w *= 2\nexcept RuntimeError:\n    w -= 1\n"
    assert rows(text) == [("leaf-modified", 6)]


def test_a_chain_of_writes_to_a_leaf_is_one_mistake() -> None:
    assert rows(HEAD + "w.sub_(0.5).div_(0.5)\n") == [("leaf-modified", 2)]


def test_a_write_that_ruins_several_tensors_is_one_mistake() -> None:
    text = HEAD + "h = w.exp()\na, b = h.sin(), h.cos()\nh.mul_(2)\n(a + b).sum().backward()\n"
    assert [kind for kind, _ in rows(text)] == ["saved-tensor-modified"]


def test_what_the_next_backward_fails_for_is_not_told_as_memory() -> None:
    text = HEAD + (
        "seen = []\nfor _ in range(3):\n    seen.append((w * 2).sin())\n"
        "    torch.stack(seen).sum().backward()\n"
    )
    assert [kind for kind, _ in rows(text)] == ["graph-freed"]


def test_a_penalty_without_graph_is_told_with_the_graph_that_it_freed() -> None:
    text = HEAD + (
        "score = w.exp().sum()\n(g,) = torch.autograd.grad(score, w)\n"
        "(score + g.norm()).backward()\n"
    )
    assert [kind for kind, _ in rows(text)] == ["graph-freed"]


def test_a_root_without_graph_is_told_with_the_gradient_that_cannot_be_retained() -> None:
    text = HEAD + (
        "with torch.no_grad():\n    h = w * 2\n    h.retain_grad()\n    score = h.sum()\n"
        "score.backward()\n"
    )
    assert rows(text) == [("retain-grad", 4)]


def test_an_optimizer_of_nothing_is_told_with_what_is_not_registered() -> None:
    text = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layers = [nn.Linear(2, 2)]\n"
        "torch.optim.Adam(Net().parameters())\n"
    )
    assert [kind for kind, _ in rows(text)] == ["other"]


MANUAL = """
x = torch.ones(4, 2)
w = torch.randn(2, 1, requires_grad=True) * 0.1
for _ in range(3):
    loss = (x @ w).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
"""


def test_a_tensor_that_is_no_leaf_is_one_mistake() -> None:
    assert rows(MANUAL) == [("non-leaf-grad", 8)]


def test_a_sum_that_is_kept_is_told_once_though_a_list_takes_it_in() -> None:
    text = HEAD + (
        "seen = []\nfor _ in range(3):\n    total = 0\n    for _ in range(3):\n"
        "        loss = w.exp().sum()\n        loss.backward()\n        total += loss\n"
        "    seen.append(total / 3)\n"
    )
    assert rows(text) == [("graph-kept", 8)]


def test_a_generator_that_is_used_up_is_told_once() -> None:
    text = (
        "net = nn.Linear(2, 2)\nlist_ = net.parameters()\noptimizer = torch.optim.SGD(list_, 0.1)\n"
        "for p in list_:\n    p.requires_grad_(False)\nfor p in list_:\n    print(p)\n"
    )
    assert [kind for kind, _ in rows(text)].count("used-up-generator") == 1


def test_gradients_mixed_by_a_step_that_comes_too_early_are_told_with_that_step() -> None:
    text = """
trunk, head, tail = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
one = torch.optim.Adam([*trunk.parameters(), *head.parameters()])
other = torch.optim.Adam([*trunk.parameters(), *tail.parameters()])
for _ in range(2):
    h = torch.tanh(nn.functional.linear(torch.tanh(trunk(torch.randn(3, 4))), trunk.weight))
    first, second = head(h).mean(), tail(h).mean()
    one.zero_grad()
    other.zero_grad()
    first.backward(retain_graph=True)
    one.step()
    second.backward()
    other.step()
"""
    assert [kind for kind, _ in rows(text)] == ["saved-tensor-modified"]


def test_gradients_of_another_loss_that_nothing_clears_are_one_mistake() -> None:
    text = """
maker, judge = nn.Linear(2, 4), nn.Linear(4, 1)
make, rate = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
for _ in range(3):
    made = maker(torch.randn(8, 2))
    make.zero_grad()
    (judge(torch.randn(8, 4)) + judge(made.detach())).mean().backward()
    rate.step()
    make.zero_grad()
    judge(made).mean().backward()
    make.step()
"""
    assert [kind for kind, _ in rows(text)] == ["missing-zero-grad"]
