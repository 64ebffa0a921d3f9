"""Hooks of modules."""

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source

NET = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
"""


def kinds(text: str) -> list[str]:
    return [fault.kind.value for fault in analyse(Source("a.py", NET + text))]


def test_without_a_hook_the_module_may_write_its_input() -> None:
    assert kinds("net(torch.ones(1, 3)).sum().backward()") == []


def test_a_full_backward_hook_makes_the_input_a_view_that_refuses() -> None:
    text = "net[1].register_full_backward_hook(lambda m, i, o: None)\nnet(torch.ones(1, 3))"
    assert kinds(text) == ["view-modified"]


def test_a_full_backward_hook_makes_the_result_a_view_that_refuses() -> None:
    text = (
        "net[0].register_full_backward_hook(lambda m, i, o: None)\n"
        "y = net[0](torch.ones(1, 3))\ny += 1"
    )
    assert kinds(text) == ["view-modified"]


def test_in_no_grad_a_backward_hook_does_nothing() -> None:
    text = (
        "net[1].register_full_backward_hook(lambda m, i, o: None)\n"
        "with torch.no_grad():\n    net(torch.ones(1, 3))"
    )
    assert kinds(text) == []


def test_a_forward_hook_may_keep_what_backward_frees() -> None:
    text = (
        "kept = []\n"
        "net[0].register_forward_hook(lambda m, i, o: kept.append(o))\n"
        "net(torch.ones(1, 3)).sum().backward()\n"
        "kept[0].sum().backward()\n"
    )
    assert kinds(text) == ["graph-freed"]


def test_a_forward_hook_may_replace_the_result() -> None:
    text = (
        "net[1].register_forward_hook(lambda m, i, o: o.detach())\n"
        "net(torch.ones(1, 3)).sum().backward()\n"
    )
    assert kinds(text) == ["no-grad-root"]


KEPT = """
seen = []
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(4):
    handle = net[0].register_forward_hook(lambda m, i, o: seen.append(o))
    with torch.no_grad():
        net(torch.ones(1, 3))
    {remove}
    optimizer.zero_grad()
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()
"""


def test_a_hook_that_was_removed_sees_nothing() -> None:
    assert kinds(KEPT.format(remove="handle.remove()")) == []
    assert kinds(KEPT.format(remove="pass")) == ["hook-repeated", "graph-kept"]


def test_the_statistics_of_a_layer_get_no_history() -> None:
    text = (
        "import copy\nnorm = nn.BatchNorm1d(3)\nnorm(net(torch.ones(2, 3)))\n"
        "twin = copy.deepcopy(norm)\n"
    )
    assert kinds(text) == []
