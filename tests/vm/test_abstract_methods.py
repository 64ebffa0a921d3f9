"""Methods that a class leaves to the classes derived from it."""

import pytest

from autograd_lint.evidence.wording import worded
from tests.vm.running import certain, faults, kinds

BASE = """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = []

    def forward(self, x):
        {}

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.kept.append({})
        return loss
"""
BODIES = ["raise NotImplementedError", '"""To be written."""\n        raise NotImplementedError()']


@pytest.mark.parametrize("body", BODIES)
def test_what_a_derived_class_computes_has_a_graph(body: str) -> None:
    lightning = BASE.replace("nn.Module", "L.LightningModule")
    text = "import lightning as L\n" + lightning
    (fault,) = faults(text.format(body, "loss"))
    assert fault.kind.value == "graph-kept"
    assert "`forward` has parameters that require grad" in {worded(a) for a in fault.assumptions}
    assert kinds(text.format(body, "loss.item()")) == []


def test_a_program_is_taken_at_its_word() -> None:
    text = BASE.format("raise NotImplementedError", "loss")
    text += "x = torch.ones(2, 2)\nBase().training_step((x, x), 0)\ntorch.ones(2).backward()\n"
    assert "no-grad-root" not in kinds(text)


def test_who_is_ready_to_catch_it_does() -> None:
    text = """
class Base(nn.Module):
    def encode(self, x):
        raise NotImplementedError

    def forward(self, x):
        y = x.exp()
        try:
            self.encode(x)
        except NotImplementedError:
            return y.detach()
        return y.mul_(2)
"""
    assert kinds(text) == []
    other = text.replace("NotImplementedError:", "ValueError:")
    assert kinds(other) == ["saved-tensor-modified"]


TRAINER = """
class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.loss = torch.zeros(1)

    def compute(self):
        {body}

    def train(self):
        self.optimizer.zero_grad()
        self.compute()
        self.loss.backward()
        self.optimizer.step()
"""


@pytest.mark.parametrize(
    ("body", "found"), [("raise NotImplementedError", []), ("print(self.loss)", ["no-grad-root"])]
)
def test_a_derived_class_may_set_what_the_base_only_holds(body: str, found: list[str]) -> None:
    assert kinds(TRAINER.format(body=body)) == found


OPTIMIZED = """
import abc

class Base(abc.ABC, nn.Module):
    {mark}
    def loss(self, x):
        pass

    def optimizer(self, lr):
        return torch.optim.Adam(self.parameters(), lr=lr)
"""


@pytest.mark.parametrize(
    ("mark", "used", "empty"),
    [
        ("@abc.abstractmethod", "", []),
        ("@once", "", []),
        ("@once", "Base().optimizer(0.1)", ["other"]),
    ],
)
def test_derived_classes_have_the_parameters_of_a_base_that_has_none(
    mark: str, used: str, empty: list[str]
) -> None:
    program = "once = lambda function: function\n" + OPTIMIZED.format(mark=mark) + used
    assert kinds(program) == empty


TEMPLATE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {rest}

torch.optim.SGD(Net().parameters(), 0.1)
"""


@pytest.mark.parametrize(
    ("rest", "found"),
    [("pass", []), ('"""Make the layers."""\n        pass', []), ("self.size = 3", ["other"])],
)
def test_what_a_template_makes_is_not_known(rest: str, found: list[str]) -> None:
    assert certain(TEMPLATE.format(rest=rest)) == found
