"""Where several layers run in one line of the program, the report names the one that did it."""

from pathlib import Path

import pytest

from tests.live.programs import Traced

HEAD = "import torch\nfrom torch import nn\nx = torch.randn(2, 3, requires_grad=True)\n"
PAIR = "nn.Sequential(nn.ReLU(), nn.Dropout(0.5, inplace=True))"


def modules(folder: Path, program: str) -> tuple[str, str]:
    """The modules that saved and wrote what a program fails for."""
    (fault,) = Traced(HEAD + program, folder).tracer.faults
    assert fault.saved is not None
    assert fault.modified is not None
    return fault.saved.module, fault.modified.module


@pytest.mark.parametrize(
    ("program", "saving", "writing"),
    [
        (f"net = {PAIR}\nnet(x).sum().backward()", "net.0", "net.1"),
        (f"net = nn.Sequential({PAIR})\nnet(x).sum().backward()", "net.0.0", "net.0.1"),
        (f"nets = [{PAIR}]\nnets[0](x).sum().backward()", "nets[0].0", "nets[0].1"),
        (
            "first, then = nn.ReLU(), nn.Dropout(0.5, inplace=True)\n"
            "h = first(x)\nthen(h).sum().backward()",
            "first",
            "then",
        ),
    ],
)
def test_it_is_called_as_the_program_calls_it(
    tmp_path: Path, program: str, saving: str, writing: str
) -> None:
    found = modules(tmp_path, program)
    assert found == (f"`{saving}` (ReLU)", f"`{writing}` (Dropout, inplace=True)")


def test_what_the_program_does_itself_is_in_no_module_of_a_library(tmp_path: Path) -> None:
    program = "h = nn.Sigmoid()(x)\nh += 1\nh.sum().backward()"
    assert modules(tmp_path, program) == ("`nn.Sigmoid()` (Sigmoid)", "")


def test_a_module_of_the_program_speaks_for_itself(tmp_path: Path) -> None:
    program = (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        f"        self.layers = {PAIR}\n"
        "    def forward(self, x):\n"
        "        return self.layers(x)\n"
        "Net()(x).sum().backward()\n"
    )
    assert modules(tmp_path, program)[1] == "`self.layers.1` (Dropout, inplace=True)"


def test_a_module_that_nobody_registered_has_no_path(tmp_path: Path) -> None:
    program = (
        "class Hidden(nn.Sequential):\n"
        "    pass\n"
        "net = Hidden(nn.ReLU())\n"
        "lost = nn.Dropout(0.5, inplace=True)\n"
        "net[0].register_forward_hook(lambda module, given, result: lost(result))\n"
        "net(x).sum().backward()\n"
    )
    assert modules(tmp_path, program)[1] == "`lost` (Dropout, inplace=True)"


def test_the_names_of_a_module_that_changed_are_those_of_now(tmp_path: Path) -> None:
    program = (
        "net = nn.Sequential(nn.Identity())\n"
        "net(x)\n"
        "net.append(nn.ReLU())\n"
        "net.append(nn.Dropout(0.5, inplace=True))\n"
        "net(x).sum().backward()\n"
    )
    assert modules(tmp_path, program) == ("`net.1` (ReLU)", "`net.2` (Dropout, inplace=True)")


def test_modules_are_not_kept_alive(tmp_path: Path) -> None:
    program = (
        "import weakref\n"
        "net = nn.Sequential(nn.ReLU())\n"
        "gone = weakref.ref(net[0])\n"
        "net(x).sum().backward()\n"
        "del net\n"
        "alive = gone() is not None\n"
    )
    assert Traced(HEAD + program, tmp_path).names["alive"] is False
