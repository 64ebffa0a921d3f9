"""What is silently wrong where nothing of a program that trains uses it."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, weights

LAYERS = """import torch
from torch import nn

class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""
TRAINING = """net = nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
optimizer.zero_grad()
net(torch.ones(2)).sum().backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ("", False),
        ("from own import Layers\n", False),
        ("layers = own.Layers()\n", True),
        ("NAMES = ['own.Layers']\n", True),
        ("import own\nmade = getattr(own, input())()\n", True),
    ],
)
def test_what_nothing_uses_is_no_mistake_of_the_program(
    tmp_path: Path, other: str, shown: bool
) -> None:
    found = weights(tmp_path, LAYERS, {"train.py": HEAD + TRAINING + other})
    assert found and any(weight < 2 for weight in found) is shown


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        ("def deep():\n    return Layers()\n", False),
        ("def deep():\n    return Layers()\nkept = deep()\n", True),
        ("class Deep(nn.Module):\n    def __init__(self):\n        self.own = Layers()\n", False),
        ("def deep(many=False):\n    return Layers() if many else net\nkept = deep()\n", False),
        ("def deep(many=True):\n    return Layers() if many else net\nkept = deep()\n", True),
        (
            "def deep(many=False):\n    return Layers() if many else net\nkept = deep(many=True)\n",
            True,
        ),
        ("if __name__ == '__main__':\n    print(Layers()(torch.ones(2)))\n", False),
        ("if __name__ == '__main__':\n    print(Layers()(torch.load('x')))\n", True),
    ],
)
def test_what_uses_it_must_be_used_itself(tmp_path: Path, made: str, shown: bool) -> None:
    other = HEAD + "from own import Layers\nnet = nn.Linear(2, 2)\n" + made
    found = weights(tmp_path, LAYERS, {"train.py": HEAD + TRAINING, "use.py": other})
    assert found and any(weight < 2 for weight in found) is shown


@pytest.mark.parametrize(
    ("base", "shown"),
    [
        ("class Base(nn.Module):\n    pass\n", False),
        ("class Base(nn.Module):\n    def __init_subclass__(cls):\n        ALL.add(cls)\n", True),
        ("class Base(nn.Module, metaclass=Registering):\n    pass\n", True),
    ],
)
def test_a_base_may_know_what_derives_from_it(tmp_path: Path, base: str, shown: bool) -> None:
    source = LAYERS.replace("class Layers(nn.Module)", f"{base}\nclass Layers(Base)")
    found = weights(tmp_path, source, {"train.py": HEAD + TRAINING})
    assert found and any(weight < 2 for weight in found) is shown


def test_what_an_installed_package_offers_others_use(tmp_path: Path) -> None:
    others = {"__init__.py": "from own import Layers\n", "train.py": HEAD + TRAINING}
    assert not any(weight < 2 for weight in weights(tmp_path, LAYERS, others))
    (tmp_path / "setup.py").write_text("")
    assert any(weight < 2 for weight in weights(tmp_path, LAYERS, others))


def test_a_project_that_trains_nothing_is_there_for_others(tmp_path: Path) -> None:
    found = weights(tmp_path, LAYERS, {"use.py": HEAD + "net = nn.Linear(2, 2)\n"})
    assert any(weight < 2 for weight in found)


def test_a_framework_may_use_what_derives_from_its_classes(tmp_path: Path) -> None:
    source = LAYERS.replace("(nn.Module)", "(nn.Module, framework.Model)")
    source = source.replace("import torch", "import framework, torch")
    found = weights(tmp_path, source, {"train.py": HEAD + TRAINING})
    assert any(weight < 2 for weight in found)


GENERATOR = """import torch
from torch import nn

class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        y = self.layer(x).exp()
        y += 1
        return y
"""


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        (TRAINING, False),
        (TRAINING + "generator = Generator()\n", True),
        (TRAINING + "names = ['Generator']\n", True),
        ("net = nn.Linear(2, 2)\n", True),
    ],
)
def test_what_nothing_makes_is_trained_by_nobody(tmp_path: Path, other: str, shown: bool) -> None:
    found = weights(tmp_path, GENERATOR, {"train.py": HEAD + other})
    assert found and any(weight < 2 for weight in found) is shown


CHECKPOINTED = """import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return checkpoint(self.layer, x)
"""


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ("", False),
        ("class Checkpointed(nn.Linear):\n    pass\nkept = Checkpointed(2, 2)\n", False),
        ("net = Checkpointed()\n", True),
    ],
)
def test_torch_warns_nobody_of_what_nothing_makes(tmp_path: Path, other: str, shown: bool) -> None:
    found = weights(tmp_path, CHECKPOINTED, {"train.py": HEAD + TRAINING + other})
    assert any(weight < 2 for weight in found) is shown


@pytest.mark.parametrize(
    ("decorator", "shown"),
    [
        ("MODELS.register", True),
        ("MODELS.register_module()", True),
        ("register_model", True),
        ("torch.jit.script", False),
    ],
)
def test_what_a_decorator_registers_is_made_by_its_name(
    tmp_path: Path, decorator: str, shown: bool
) -> None:
    source = GENERATOR.replace("class Generator", f"@{decorator}\nclass Generator")
    found = weights(tmp_path, source, {"train.py": HEAD + TRAINING})
    assert found and any(weight < 2 for weight in found) is shown
