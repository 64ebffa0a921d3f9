"""Modules whose `forward` gives back nothing that has a graph."""

import textwrap

import pytest
import torch

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
BLOCK = """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        {more}
    {mark}
    def forward(self, x):
        y = self.linear(x)
        return {result}
{methods}
"""
OBJECTIVE = """
class {name}(nn.Module):
    def forward(self, output, target):
        loss = F.mse_loss(output, target) + 0.1 * output.abs().mean()
        return loss{cut}
"""


def block(result: str = "y", mark: str = "", more: str = "self.size = 2", methods: str = "") -> str:
    method = textwrap.indent(textwrap.dedent(methods), "    ")
    return BLOCK.format(result=result, mark=mark or "# a step", more=more, methods=method)


def cut(program: str) -> list[int]:
    """The rows at which it is told that a result has no graph."""
    return rows(program, Pitfall.FORWARD_CUT, HEAD)


def trains(program: str) -> bool:
    """Whether a loss of what a `Block` gives back trains its layer, on the real engine."""
    names: dict[str, type[torch.nn.Module]] = {}
    exec(HEAD + program, names)
    module = names["Block"]()
    whole = torch.nn.Sequential(module, torch.nn.Linear(2, 1))
    whole(torch.ones(3, 2)).sum().backward()
    return all(weight.grad is not None for weight in module.parameters())


NUMPY = "torch.from_numpy(y.detach().numpy())"


@pytest.mark.parametrize(
    ("program", "row"),
    [
        (block(mark="@torch.no_grad()"), 7),
        (block("y.detach()"), 10),
        (block("y.data"), 10),
        (block(NUMPY), 10),
        (block("torch.relu(y.detach())"), 10),
    ],
)
def test_a_layer_that_gives_back_no_graph_is_not_trained(program: str, row: int) -> None:
    assert cut(program) == [row]
    assert not trains(program)


@pytest.mark.parametrize("program", [block(), block("y + y.detach()"), block("torch.relu(y)")])
def test_a_layer_that_hands_its_graph_on_is_let_be(program: str) -> None:
    assert cut(program) == []
    assert trains(program)


@pytest.mark.parametrize(
    "program",
    [
        block(mark="@torch.inference_mode()"),
        block("y.detach()", more="self.requires_grad_(False)"),
        block("y.detach()", more="self.load_state_dict(torch.load('w.pt'))"),
        block("y.detach()", more="self.linear.eval()"),
        block("y.detach()", more="_load_weights(self.linear)"),
        block("y.detach() if self.size > 2 else y"),
        block("y.detach()", methods="def energy(self, x):\n    return self.linear(x).sum()"),
    ],
)
def test_a_module_that_is_frozen_or_trained_otherwise_is_let_be(program: str) -> None:
    assert cut(program) == []


def test_methods_by_which_a_trained_module_is_used_train_nothing() -> None:
    sampling = "def sample(self, x):\n    return self.linear(x).argmax()"
    assert cut(block("y.detach()", methods=sampling)) == [10]


@pytest.mark.parametrize("early", ["if self.training:\n            return y", "return y"])
def test_what_another_path_gives_back_with_its_graph_is_not_told(early: str) -> None:
    text = block("y.detach()").replace("        return", f"        {early}\n        return", 1)
    assert cut(text) == []


def test_a_path_that_refuses_its_argument_gives_nothing_back() -> None:
    check = 'if x.dim() == 1:\n            raise ValueError("a batch is wanted")'
    text = block("y.detach()").replace("        return", f"        {check}\n        return", 1)
    assert cut(text) == [12]


def test_a_loss_without_a_graph_is_told() -> None:
    text = OBJECTIVE.format(name="Objective", cut=".detach()")
    assert cut(text) == [5]
    assert cut(OBJECTIVE.format(name="Objective", cut="")) == []


def test_a_loss_that_is_only_looked_at_is_let_be() -> None:
    assert cut(OBJECTIVE.format(name="ValidationError", cut=".detach()")) == []


def test_a_grad_mode_that_is_chosen_is_let_be() -> None:
    text = """
class Block(nn.Module):
    def __init__(self, learns=False):
        super().__init__()
        self.linear, self.learns = nn.Linear(2, 2), learns

    def forward(self, x):
        with torch.set_grad_enabled(self.learns):
            return self.linear(x)
"""
    assert cut(text) == []
