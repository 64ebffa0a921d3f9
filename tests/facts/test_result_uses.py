"""What a function that trains does with what others give it."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HELPER, is_shown

STEP = "def train(net, x):\n    {}\n    net(x).sum().backward()\n"
FUNCTION = HELPER.partition("\n\nclass")[0] + "\n"


@pytest.mark.parametrize(
    ("use", "shown"),
    [
        ("print(scale(net(x)))", False),
        ("score = scale(net(x)).item()\n    x = x * score", False),
        ("best = scale(net(x))\n    if best > 3:\n        x = x + 1", False),
        ("log = open()\n    log.write(scale(net(x)))", False),
        ("y = torch.dot(scale(x), x)\n    x = torch.relu(x)", False),
        ("x = scale(x)", True),
        ("found = []\n    found.append(scale(x))\n    x = sum(found)", True),
        ("y = scale(x)\n    for part in y:\n        x = x + part", True),
        ("x = {}\n    x['first'] = scale(x)", True),
        ("update(scale(x))", True),
        ("loss = scale(x)\n    loss.backward()", True),
        ("x = make(lambda: scale(x))", True),
    ],
)
def test_some_of_what_is_computed_in_a_training_is_only_looked_at(
    tmp_path: Path, use: str, shown: bool
) -> None:
    assert is_shown(tmp_path, FUNCTION, STEP.format(use)) is shown


@pytest.mark.parametrize(("user", "shown"), [("print({})", False), ("{}.backward()", True)])
def test_what_a_training_gives_back_is_for_its_callers(
    tmp_path: Path, user: str, shown: bool
) -> None:
    text = STEP.format("y = scale(net(x))") + "    return y\n\n"
    text += f"def main(net, x):\n    {user.format('train(net, x)')}\n"
    assert is_shown(tmp_path, FUNCTION, text) is shown


TRAINER = """
class Trainer:
    def compute(self, net, x):
        self.found = scale(net(x))
        return self.found

    def train(self, net, x):
        {use}
        {loss}.sum().backward()

Trainer().train(net, x)
"""


@pytest.mark.parametrize(
    ("use", "loss", "shown"),
    [
        ("print(self.compute(net, x))", "net(x)", False),
        ("self.compute(net, x)", "self.found", True),
        ("self.last = self.compute(net, x)", "self.last", True),
    ],
)
def test_an_object_may_keep_what_it_computes(
    tmp_path: Path, use: str, loss: str, shown: bool
) -> None:
    assert is_shown(tmp_path, FUNCTION, TRAINER.format(use=use, loss=loss)) is shown
