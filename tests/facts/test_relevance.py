"""What is passed over, and that nothing is lost by it."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.facts.relevance import (
    leads_to_act,
    leads_to_fault,
    outside_is_plain,
    suspects,
    users_of_training,
)
from autograd_lint.facts.triggers import may_hold_fault
from autograd_lint.project.source import Source

CASES = Path(__file__).parents[2] / "fixtures" / "cases" / "engine" / "errors"


@pytest.mark.parametrize(
    "text",
    [
        "x.add_(1)",
        "x += y",
        "x[0] = y",
        "relu(x, inplace=True)",
        "torch.add(a, b, out=c)",
        "x.data",
        "loss.backward()",
        "x.requires_grad = False",
        "x.numpy()",
        "np.asarray(x)",
        "x.__iadd__(1)",
        "copy.deepcopy(x)",
    ],
)
def test_a_text_with_a_trigger_is_read(text: str) -> None:
    assert may_hold_fault(text)


@pytest.mark.parametrize(
    "text", ["def __init__(self):", "x = y == z", "d['key'] = 1", "y = x + 1", "if a <= b: pass"]
)
def test_a_text_without_one_is_not(text: str) -> None:
    assert not may_hold_fault(text)


def test_no_known_error_is_passed_over() -> None:
    lost = [
        path.name
        for path in sorted(CASES.glob("*.py"))
        if _in_scope(path) and not may_hold_fault(_code(path))
    ]
    assert lost == []


def _in_scope(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    classes = ("leaf-inplace", "saved-modified", "backward-twice", "no-grad-fn", "view-")
    return any(f"# class: {name}" in text for name in classes)


def _code(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


def test_a_class_that_uses_a_suspect_is_one() -> None:
    source = Source(
        "a.py",
        "class Block:\n    def forward(self, x):\n        x += 1\n        return x\n"
        "class Net:\n    def __init__(self):\n        self.block = Block()\n"
        "class Other:\n    pass\n",
    )
    assert suspects(source) == ["Block", "Net"]


def test_a_function_that_only_makes_a_suspect_is_none() -> None:
    source = Source(
        "a.py",
        "class Block:\n    def forward(self, x):\n        x += 1\n        return x\n"
        "def block(**kwargs):\n    return Block(**kwargs)\n",
    )
    assert suspects(source) == ["Block"]


TRAINER = (
    "class Trainer:\n    def step(self, loss):\n        loss.backward()\n"
    "        self.optimizer.step()\n"
    "def main(data):\n    trainer = Trainer(torch.nn.Linear(2, 2))\n    trainer.step(data)\n"
)
TRAINING = (
    "def train(model, data):\n    model(data).backward()\ndef main(data):\n    train(Net(), data)\n"
)


@pytest.mark.parametrize(("text", "found"), [(TRAINER, ["Trainer"]), (TRAINING, ["train"])])
def test_a_function_that_uses_what_trains_is_told_apart(text: str, found: list[str]) -> None:
    source = Source("a.py", text)
    assert suspects(source) == found
    assert users_of_training(source) == ["main"]


@pytest.mark.parametrize(("outside", "plain"), [("z = 3", True), ("z.add_(1)", False)])
def test_the_outside_of_definitions(outside: str, plain: bool) -> None:
    text = f"x = 1\ndef f():\n    x.add_(1)\nclass C:\n    y = 2\n{outside}"
    assert outside_is_plain(Source("a.py", text)) is plain


def test_a_file_without_torch_is_not_parsed() -> None:
    assert analyse(Source("a.py", "x += (")) == []


def test_who_uses_what_only_loads_values_is_none() -> None:
    text = "def load_weights(m):\n    m.w.copy_(1)\nclass Net:\n    def f(self, x):\n{}"
    source = Source("a.py", text.format("        return load_weights(self)\n"))
    assert suspects(source) == ["load_weights"]


def test_who_uses_what_writes_elsewhere_is_one() -> None:
    text = (
        "class Block:\n    def init_weights(self):\n        self.w.data.zero_()\n"
        "    def forward(self, x):\n        {}\n        return x\n"
        "class Net:\n    def __init__(self):\n        self.block = Block()\n"
    )
    assert suspects(Source("a.py", text.format("y = x"))) == ["Block"]
    assert suspects(Source("a.py", text.format("x.relu_()"))) == ["Block", "Net"]


def test_what_is_wrong_by_itself_does_nothing_to_others() -> None:
    source = Source("a.py", "if a:\n    o = np.ones(3)\nif b:\n    x += y\n")
    made, written = source.tree.body
    assert leads_to_fault(source, made) and not leads_to_act(source, made)
    assert leads_to_act(source, written)


def test_a_call_of_a_function_that_acts_leads_to_an_act() -> None:
    source = Source("a.py", "def f(x):\n    x.add_(1)\nif b:\n    f(y)\nif c:\n    g(y)\n")
    _, calls, others = source.tree.body
    assert leads_to_act(source, calls) and not leads_to_act(source, others)


def test_a_step_of_an_optimizer_is_an_act() -> None:
    source = Source("a.py", "if a:\n    optimizer.step()\n")
    assert leads_to_act(source, source.tree.body[0])
