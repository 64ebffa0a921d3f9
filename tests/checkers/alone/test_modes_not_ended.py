"""Training that goes on in the evaluation mode of a validation."""

from pathlib import Path

import pytest

from autograd_lint.checkers.alone.modes_not_ended import judge
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), {layer})
"""
TRAINER = """
class Trainer:
    def __init__(self, args):
        self.net = Net(args)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=args.lr)

    {decorator}
    def validate(self, loader):
        self.net.eval()
        right = [(self.net(x) == y).sum().item() for x, y in loader]
        {after}
        return sum(right)

    def fit(self, loader, held):
        self.net.train()
        for step, (x, y) in enumerate(loader):
            {first}
            loss = self.criterion(self.net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % self.every == 0:
                {validation}
                {then}
"""
GIVEN = """
def train(model, loader, optimizer):
    for x, y in loader:
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

def accuracy(net, loader):
    net.eval()
    return sum((net(x) == y).sum().item() for x, y in loader)

model = {made}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(epochs):
    train(model, loader, optimizer)
    {validation}
"""


def rows(tmp_path: Path, text: str, layer: str = "nn.Dropout(0.5)") -> list[str]:
    """The lines at which a program tells that evaluation mode begins."""
    path = tmp_path / "program.py"
    head = "import torch\nfrom torch import nn\n"
    path.write_text(head + NET.format(layer=layer) + text)
    source = Source(str(path), path.read_text())
    faults = judge(source, Project([tmp_path]))
    return [source.lines[one.place.row - 1].strip() for one in faults if one.place]


def trainer(
    decorator: str = "@torch.no_grad()",
    after: str = "pass",
    first: str = "pass",
    validation: str = "self.validate(held)",
    then: str = "pass",
) -> str:
    parts = {"decorator": decorator, "after": after, "first": first}
    return TRAINER.format(**parts, validation=validation, then=then)


def test_a_validation_between_two_batches_leaves_its_mode(tmp_path: Path) -> None:
    assert rows(tmp_path, trainer()) == ["self.net.eval()"]


@pytest.mark.parametrize("part", ["after", "first", "then"])
def test_whoever_calls_train_again_ends_the_mode(tmp_path: Path, part: str) -> None:
    assert rows(tmp_path, trainer(**{part: "self.net.train()"})) == []


def test_a_loop_that_is_left_behind_the_validation_trains_no_more(tmp_path: Path) -> None:
    assert rows(tmp_path, trainer(then="break")) == []


def test_a_decorator_may_restore_the_mode(tmp_path: Path) -> None:
    assert rows(tmp_path, trainer(decorator="@restoring")) == []


def test_a_validation_of_another_module_leaves_this_one_alone(tmp_path: Path) -> None:
    text = trainer().replace("self.net.eval()", "self.teacher.eval()")
    assert rows(tmp_path, text) == []


def test_a_module_without_such_layers_is_the_same_in_both_modes(tmp_path: Path) -> None:
    assert rows(tmp_path, trainer(), layer="nn.Tanh()") == []


@pytest.mark.parametrize(
    ("validation", "told"), [("accuracy(model, held)", True), ("accuracy(copy, held)", False)]
)
def test_what_a_function_is_given_is_what_it_evaluates(
    tmp_path: Path, validation: str, told: bool
) -> None:
    found = rows(tmp_path, GIVEN.format(made="Net()", validation=validation))
    assert found == (["net.eval()"] if told else [])


@pytest.mark.parametrize(("made", "told"), [("Other()", False), ("timm.create_model(name)", True)])
def test_where_a_model_comes_from_says_whether_it_has_such_layers(
    tmp_path: Path, made: str, told: bool
) -> None:
    (tmp_path / "other.py").write_text("class Other(nn.Module):\n    pass\n")
    text = GIVEN.format(made=made, validation="accuracy(model, held)")
    assert bool(rows(tmp_path, text, layer="nn.Tanh()")) is told


def test_both_functions_may_stand_in_another_file(tmp_path: Path) -> None:
    text = GIVEN.format(made="Net()", validation="accuracy(model, held)")
    functions, script = text.split("model = Net()")
    (tmp_path / "engine.py").write_text(functions)
    head = "from engine import accuracy, train\nmodel = Net()"
    assert rows(tmp_path, head + script) == ["accuracy(model, held)"]


def test_what_makes_a_model_and_is_not_in_the_project_may_put_such_layers_into_it(
    tmp_path: Path,
) -> None:
    text = "from zoo import build\n" + GIVEN
    found = rows(tmp_path, text.format(made="build()", validation="accuracy(model, held)"))
    assert found == ["net.eval()"]
    (tmp_path / "zoo.py").write_text("def build():\n    return nn.Linear(2, 2)\n")
    assert not rows(
        tmp_path,
        text.format(made="build()", validation="accuracy(model, held)"),
        layer="nn.Tanh()",
    )


EARLY = """
def evaluate(model, loader, limit):
    model.eval()
    right = 0
    for i, (x, y) in enumerate(loader):
        if i >= limit:
            {leaves}
        right += (model(x).argmax(1) == y).sum().item()
    model.train()
    return right

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.train()
for step, (x, y) in enumerate(loader):
    loss = (model(x) - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        evaluate(model, held, 9)
"""


def test_a_return_before_the_end_of_the_evaluation_leaves_its_mode(tmp_path: Path) -> None:
    assert rows(tmp_path, EARLY.format(leaves="return right")) == ["model.eval()"]
    assert rows(tmp_path, EARLY.format(leaves="break")) == []
