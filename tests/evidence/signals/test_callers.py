"""Signals of who calls a function, and where it stands."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

SCALE = "import torch\n\n\ndef scale(x):\n    y = x.exp()\n    y += 1\n    return y\n"
HEAD = "import torch\nfrom torch import nn\nfrom own import scale\n\n\n"
NET = HEAD + (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.layer = nn.Linear(2, 2)\n\n    def forward(self, x):\n"
    "        return self.layer(scale({given}))\n\n\n"
    "def main():\n    net = Net()\n    net(torch.ones(2)).sum().backward()\n"
)
MODULE = (
    "import torch\nfrom torch import nn\n\n\nclass Scale(nn.Module):\n"
    "    def {method}(self, x):\n        y = x.exp()\n        y += 1\n        return y\n"
)


def signals(root: Path, text: str = SCALE, **others: str) -> frozenset[str]:
    """The signals of all that is found in `own.py`."""
    write_tree(root, {"own.py": text, **{f"{name}.py": one for name, one in others.items()}})
    source = Source(str(root / "own.py"), text)
    found = analyse(source, Project([root]))
    assert found
    return frozenset().union(*(fault.signals for fault in found))


@pytest.mark.parametrize(("init", "told"), [({"__init__": ""}, True), ({}, False)])
def test_a_module_of_a_package(tmp_path: Path, init: dict[str, str], told: bool) -> None:
    assert ("in-package" in signals(tmp_path, **init)) is told


@pytest.mark.parametrize(("method", "told"), [("forward", True), ("apply_to", False)])
def test_what_a_module_computes(tmp_path: Path, method: str, told: bool) -> None:
    assert ("in-forward" in signals(tmp_path, MODULE.format(method=method))) is told


@pytest.mark.parametrize(("init", "told"), [("from .own import scale\n", True), ("", False)])
def test_what_a_package_offers(tmp_path: Path, init: str, told: bool) -> None:
    assert ("offered" in signals(tmp_path, __init__=init)) is told


@pytest.mark.parametrize(
    ("init", "listed", "told"),
    [
        ("from .own import *\n", "", True),
        ("from .own import *\n", "__all__ = ['scale']\n", True),
        ("from .own import *\n", "__all__ = ['other']\ndef other(): pass\n", False),
        ("from .others import *\n", "", False),
    ],
)
def test_a_package_offers_what_it_takes_with_a_star(
    tmp_path: Path, init: str, listed: str, told: bool
) -> None:
    assert ("offered" in signals(tmp_path, listed + SCALE, __init__=init)) is told


@pytest.mark.parametrize(("taken", "told"), [("scaled", True), ("others", False)])
def test_a_package_offers_what_is_handed_the_argument_of_an_offered_function(
    tmp_path: Path, taken: str, told: bool
) -> None:
    text = SCALE.replace("def scale", "def _scale")
    text += "\n\ndef scaled(x):\n    y = _scale(x)\n    y *= 2\n    return y\n"
    assert ("offered" in signals(tmp_path, text, __init__=f"from .own import {taken}\n")) is told


@pytest.mark.parametrize(("caller", "told"), [("pass\n", True), ("scale(load())\n", False)])
def test_what_nothing_calls(tmp_path: Path, caller: str, told: bool) -> None:
    text = HEAD + "def use():\n    " + caller
    assert ("nobody-calls" in signals(tmp_path, caller=text)) is told


def test_what_a_module_calls_is_trained(tmp_path: Path) -> None:
    assert "trained-by-callers" in signals(tmp_path, caller=NET.format(given="x"))
    assert "trained-by-callers" not in signals(tmp_path / "alone")


@pytest.mark.parametrize(
    ("given", "name", "other"),
    [
        ("x", "callers-pass-data", "callers-pass-computed"),
        ("self.layer(x)", "callers-pass-computed", "callers-pass-data"),
    ],
)
def test_what_callers_pass(tmp_path: Path, given: str, name: str, other: str) -> None:
    found = signals(tmp_path, caller=NET.format(given=given))
    assert name in found
    assert other not in found


@pytest.mark.parametrize(
    ("registered", "told"),
    [
        ('torch.library.register_autograd("own::op", backward)\n', True),
        ('torch.library.register_fake("own::op")(backward)\n', True),
        ("print(backward)\n", False),
    ],
)
def test_what_serves_a_custom_operator_is_not_differentiated(
    tmp_path: Path, registered: str, told: bool
) -> None:
    text = HEAD + f"def backward(ctx, g):\n    return scale(g)\n\n\n{registered}"
    write_tree(tmp_path, {"own.py": SCALE, "caller.py": text})
    (found,) = analyse(Source(str(tmp_path / "own.py"), SCALE), Project([tmp_path]))
    assert (Kind.CALLED_OTHERWISE in [one.kind for one in found.assumptions]) is told


def test_what_callers_pass_counts_for_what_raises_nothing_too(tmp_path: Path) -> None:
    silent = SCALE.replace("y += 1", "y = torch.where(x > 0, torch.sqrt(x), y)")
    assert "callers-pass-data" in signals(tmp_path, silent, caller=NET.format(given="x"))


@pytest.mark.parametrize(
    ("cut", "told"), [(".cpu().numpy()", True), (".detach().numpy()", False), ("", False)]
)
def test_what_a_caller_hands_to_numpy_has_no_graph(tmp_path: Path, cut: str, told: bool) -> None:
    text = HEAD + f"def cost(boxes):\n    speeds = scale(boxes)\n    return speeds{cut}\n"
    write_tree(tmp_path, {"own.py": SCALE, "caller.py": text})
    (found,) = analyse(Source(str(tmp_path / "own.py"), SCALE), Project([tmp_path]))
    assert (Kind.CALLED_OTHERWISE in [one.kind for one in found.assumptions]) is told
