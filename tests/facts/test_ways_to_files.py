"""Importers of a file whose runs may come to it, told by the names that they use."""

from pathlib import Path

import pytest

from autograd_lint.facts.ways_to_files import WaysTo
from autograd_lint.project.modules import Project
from tests.fakes import write_tree

LAYER = "import torch\n\nclass Layer(torch.nn.Module): ...\nclass Other: ...\n"
PACKAGE = "from .layer import *\nfrom .tools import helper\n"
TOOLS = "def helper(x):\n    return x.add_(1)\n"


def comes(folder: Path, user: str, **others: str) -> bool:
    """Whether what is run of `user` comes to the file of a layer, over these files."""
    tree = {"net/layer.py": LAYER, "net/__init__.py": PACKAGE, "net/tools.py": TOOLS}
    more = {f"{name}.py": text for name, text in others.items()}
    write_tree(folder, {**tree, **more, "user.py": user})
    between = {"net/__init__.py", "user.py", *more}
    ways = WaysTo.of(
        str(folder / "net/layer.py"),
        frozenset(str(folder / one) for one in between),
        Project([folder]),
    )
    return ways.may_begin_in(str(folder / "user.py"))


@pytest.mark.parametrize(
    "text",
    [
        "from net.layer import Layer\nLayer()\n",
        "from net import Layer as Own\nif __name__ == '__main__':\n    Own()\n",
        "import net.layer\nnet.layer.Layer()\n",
        "from net import layer\ndef use(x):\n    layer.Layer()(x).add_(1)\n",
        "from net import Layer\n@Layer.register\ndef own(): ...\n",
        "from net import Layer\ndef main():\n    use(Layer())\ndef use(one):\n    one(1).add_(1)\n",
    ],
)
def test_a_name_that_is_imported_from_the_file_leads_to_it_wherever_it_is_used(
    tmp_path: Path, text: str
) -> None:
    assert comes(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "from net import helper\nhelper(1)\n",
        "from net import Layer\n__all__ = ['Layer']\ndef own(x):\n    return x.add_(1)\n",
        "from net import Layer\ndef make():\n    return Layer()\n",
    ],
)
def test_other_names_and_what_is_not_run_lead_nowhere(tmp_path: Path, text: str) -> None:
    assert not comes(tmp_path, text)


@pytest.mark.parametrize(("base", "led"), [("Layer", True), ("Other", True), ("int", False)])
def test_what_another_file_defines_with_such_a_name_leads_there_as_well(
    tmp_path: Path, base: str, led: bool
) -> None:
    middle = f"from net import *\n\nclass Net({base}): ...\n"
    assert comes(tmp_path, "from middle import Net\nNet()\n", middle=middle) is led


@pytest.mark.parametrize(
    ("user", "found"),
    [
        ("from importlib import import_module\nimport_module('net.' + name).Layer()\n", True),
        ("from importlib import import_module\nimport_module('own.' + name).Layer()\n", False),
        ("import net\nfrom tables import TABLE\nTABLE.build('Layer')\n", True),
        ("import net\nfrom tables import OTHER\nOTHER.build('Layer')\n", False),
    ],
)
def test_computed_names_and_registries_lead_to_what_they_do_not_name(
    tmp_path: Path, user: str, found: bool
) -> None:
    entered = f"from tables import TABLE\n{LAYER}\n@TABLE.register\nclass Own: ...\n"
    assert comes(tmp_path, user, **{"net/layer": entered, "tables": ""}) is found
