"""Modes of modules of unknown classes, and what rests on such a class."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
from models import Net
from data import Training, Validation

model = Net().cuda()
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()
training, validation = DataLoader(Training(), 8), DataLoader(Validation(), 8)
{once}
for epoch in range(10):
    {trains}
    for x, y in training:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    {evaluates}
    correct = 0
    with torch.no_grad():
        for x, y in validation:
            correct += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
    print(epoch, correct)
"""


def _told(kind: Pitfall, **modes: str) -> list[Fault]:
    given = {"once": "", "trains": "pass", "evaluates": "pass", **modes}
    faults = analyse(Source("program.py", PROGRAM.format(**given)))
    return [fault for fault in faults if fault.kind is kind]


def test_a_model_that_is_trained_on_in_the_mode_of_its_validation() -> None:
    (found,) = _told(Pitfall.LEFT_IN_EVALUATION, once="model.train()", evaluates="model.eval()")
    assert found.place is not None and found.place.row == 19
    assert [one.kind for one in found.assumptions] == [Kind.DEPENDS_ON_MODE]


def test_a_model_that_is_validated_in_training_mode() -> None:
    (found,) = _told(Pitfall.TRAINING_MODE, trains="model.train()")
    assert found.place is not None and found.place.row == 23
    assert [one.kind for one in found.assumptions] == [Kind.DEPENDS_ON_MODE]


@pytest.mark.parametrize("kind", [Pitfall.LEFT_IN_EVALUATION, Pitfall.TRAINING_MODE])
def test_a_model_that_is_put_into_each_mode_in_time(kind: Pitfall) -> None:
    assert _told(kind, trains="model.train()", evaluates="model.eval()") == []


def test_a_model_whose_mode_the_program_never_sets_may_be_in_any() -> None:
    assert _told(Pitfall.TRAINING_MODE) == []


MOVED = """\
import torch
from torch import nn

class Tuner:
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader

    def validate(self):
        with torch.no_grad():
            self.model.eval()
            return sum(self.model(x).sum().item() for x in self.loader)

    def train(self):
        model = self.model.to("cuda")
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for x in self.loader:
            {trains}
            loss = self.model(x).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.validate()
"""


@pytest.mark.parametrize(("trains", "rows"), [("model.train()", []), ("pass", [11])])
def test_a_module_that_was_moved_to_a_device_is_the_same_module(
    trains: str, rows: list[int]
) -> None:
    faults = analyse(Source("program.py", MOVED.format(trains=trains)))
    places = [one.place for one in faults if one.kind is Pitfall.LEFT_IN_EVALUATION]
    assert [place.row for place in places if place is not None] == rows
