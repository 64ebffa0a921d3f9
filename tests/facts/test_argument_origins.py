"""Where a parameter comes from is read off the callers of a project."""

from pathlib import Path

import pytest

from autograd_lint.facts.argument_origins import Origin, Origins
from autograd_lint.facts.callers import owner_at
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

HELPER = "import torch\n\n\ndef scaled(x, by=1):\n    return x.exp().mul_(by)\n"
HEAD = "import torch\nfrom torch import nn\nfrom helper import scaled\n\n\n"
MODEL = """class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, inputs):
        x = inputs["X"]
        return self.layer(scaled({given}))


"""
WHOLE = "def main():\n    model = Model()\n    model(load()).sum().backward()\n"
PART = """class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Model()

    def forward(self, x):
        return self.model({given})


def main():
    outer = Outer()
    outer(load()).sum().backward()
"""


def origin(root: Path, callers: str) -> Origin:
    write_tree(root, {"helper.py": HELPER, "callers.py": HEAD + callers})
    source = Source(str(root / "helper.py"), HELPER)
    project = Project([root])
    project.adopt(source)
    owner = owner_at(source, 4)
    assert owner is not None
    return Origins(project).of_parameter(owner, "x")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("torch.from_numpy(a)", Origin.DATA),
        ("-torch.tensor([1.0])[:, 0].to(device)", Origin.DATA),
        ("net(a).detach()", Origin.DATA),
        ("torch.ones(2, requires_grad=True)", Origin.UNKNOWN),
        ("a", Origin.UNKNOWN),
        ("net(a)", Origin.UNKNOWN),
        ("torch.cat([torch.ones(2), torch.zeros(2)])", Origin.DATA),
        ("torch.cat([torch.ones(2), a])", Origin.UNKNOWN),
    ],
)
def test_what_a_function_passes(tmp_path: Path, value: str, wanted: Origin) -> None:
    assert origin(tmp_path, f"def use(net, a, device):\n    return scaled({value})\n") is wanted


def test_the_input_of_a_whole_model_is_data(tmp_path: Path) -> None:
    assert origin(tmp_path, MODEL.format(given="x") + WHOLE) is Origin.DATA


def test_what_a_layer_gives_is_computed(tmp_path: Path) -> None:
    assert origin(tmp_path, MODEL.format(given="self.layer(x)") + WHOLE) is Origin.COMPUTED


@pytest.mark.parametrize(
    ("given", "wanted"), [("x", Origin.DATA), ("self.first(x)", Origin.COMPUTED)]
)
def test_the_input_of_a_part_is_what_its_whole_passes(
    tmp_path: Path, given: str, wanted: Origin
) -> None:
    assert origin(tmp_path, MODEL.format(given="x") + PART.format(given=given)) is wanted


def test_one_caller_that_passes_what_is_computed_is_enough(tmp_path: Path) -> None:
    callers = "def use(a):\n    return scaled(torch.ones(2))\n\n\n"
    computed = MODEL.format(given="self.layer(x)") + WHOLE
    assert origin(tmp_path, callers + computed) is Origin.COMPUTED


def test_a_name_that_is_bound_twice_comes_from_both(tmp_path: Path) -> None:
    callers = "def use(a):\n    b = torch.ones(2)\n    if a:\n        b = a\n    scaled(b)\n"
    assert origin(tmp_path, callers) is Origin.UNKNOWN


def test_what_nothing_calls_comes_from_nowhere(tmp_path: Path) -> None:
    assert origin(tmp_path, "") is Origin.UNKNOWN
