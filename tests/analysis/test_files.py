"""Whole files: what is run, along which paths, and how sure the faults are."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse, analysed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.errors import Dropped
from autograd_lint.evidence.wording import worded
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree


def faults(text: str) -> list[Fault]:
    return analyse(Source("a.py", "import torch\nfrom torch import nn\n" + text))


def summary(text: str) -> list[tuple[str, int | None, list[str]]]:
    """Kind, row of the write or of the raising line, and assumptions of every fault."""
    found = []
    for fault in faults(text):
        place = (fault.modified and fault.modified.place) or fault.place
        texts = sorted(worded(assumption) for assumption in fault.assumptions)
        found.append((fault.kind.value, place.row - 2 if place else None, texts))
    return found


LEAF = "w = torch.ones(3, requires_grad=True)\n"


def test_what_is_not_wanted_any_more_is_dropped() -> None:
    source = Source("a.py", "import torch\n" + LEAF + "def f(x):\n    x += w\n")
    asked: list[None] = []

    def wanted() -> bool:
        asked.append(None)
        return len(asked) < 2

    with pytest.raises(Dropped):
        analyse(source, wanted=wanted)
    assert len(asked) == 2


def test_a_straight_line_program_is_certain() -> None:
    assert summary(LEAF + "w += 1") == [("leaf-modified", 2, [])]


def test_after_an_error_the_next_one_is_found() -> None:
    found = summary(LEAF + "w += 1\nw += 2")
    assert found == [("leaf-modified", 2, []), ("leaf-modified", 3, [])]


def test_an_error_that_is_caught_is_none() -> None:
    assert summary(LEAF + "try:\n    w += 1\nexcept RuntimeError:\n    pass") == []


def test_an_error_under_an_unknown_condition_names_it() -> None:
    text = LEAF + "if w.sum() > 0:\n    w += 1"
    assert summary(text) == [("leaf-modified", 3, ["`w.sum() > 0` holds in line 4"])]


def test_an_error_on_either_side_is_certain() -> None:
    text = LEAF + "if w.sum() > 0:\n    y = 1\nelse:\n    y = 2\nw += y"
    assert summary(text) == [("leaf-modified", 6, [])]


def test_the_same_condition_goes_the_same_way() -> None:
    text = (
        "def f(flag):\n"
        "    w = torch.ones(3)\n"
        "    if flag:\n"
        "        w.requires_grad_()\n"
        "    if not flag:\n"
        "        w += 1\n"
    )
    assert summary(text) == []


def test_a_module_nobody_trains_is_trained() -> None:
    text = (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.fc = nn.Linear(3, 3)\n"
        "    def forward(self, x):\n"
        "        y = torch.sigmoid(self.fc(x))\n"
        "        y += x\n"
        "        return y\n"
    )
    assert summary(text) == [
        ("saved-tensor-modified", 7, ["`backward()` runs through the result of `forward`"])
    ]


def test_a_function_nobody_calls_gets_unknown_arguments() -> None:
    text = "def f(x):\n    y = torch.exp(x)\n    y += 1\n    return y\n"
    assumed = ["`x` requires grad", "the result of `f` takes part in a loss"]
    assert summary(text) == [("saved-tensor-modified", 3, assumed)]


def test_a_function_that_is_called_is_judged_by_its_calls() -> None:
    text = "def f(x):\n    y = torch.exp(x)\n    y += 1\n    return y\nf(torch.ones(3))\n"
    assert summary(text) == []


def test_the_third_round_of_a_loop_is_seen() -> None:
    text = (
        "cell = nn.RNNCell(2, 2)\n"
        "opt = torch.optim.SGD(cell.parameters(), lr=0.1)\n"
        "h = torch.zeros(1, 2)\n"
        "for _ in range(100):\n"
        "    h = cell(torch.ones(1, 2), h)\n"
        "    opt.zero_grad()\n"
        "    h.sum().backward(retain_graph=True)\n"
        "    opt.step()\n"
    )
    assert summary(text) == [("saved-tensor-modified", 8, [])]


def test_an_endless_recursion_ends() -> None:
    assert summary("def f(x):\n    x += 1\n    return f(x)\nf(torch.ones(3))") == []


SCRIPT = "from helper import train\ntrain(3)\n"
TRAINER = """\
import torch


def train(n):
    w = torch.ones(n, requires_grad=True)
    y = w.exp()
    y += 1
    y.sum().backward()
"""


BROKEN = "import torch\ndef broken(w):\n    w += 1\n"
USER = "import torch\nfrom helper import broken\nbroken(torch.ones(3, requires_grad=True))\n"


def test_a_fault_that_lies_in_another_file_is_told_with_the_call_that_leads_there(
    tmp_path: Path,
) -> None:
    write_tree(tmp_path, {"helper.py": BROKEN, "main.py": USER})
    (fault,) = analyse(Source(str(tmp_path / "main.py"), USER), Project([tmp_path]))
    assert fault.place is not None and fault.caller is not None
    assert (Path(fault.place.filename).name, fault.place.row) == ("helper.py", 3)
    assert (Path(fault.caller.filename).name, fault.caller.row) == ("main.py", 3)


def test_a_fault_that_lies_in_another_package_is_left_to_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"helper.py": TRAINER, "own/main.py": SCRIPT})
    project = Project([tmp_path], speaking=[tmp_path / "own"])
    assert analyse(Source(str(tmp_path / "own/main.py"), SCRIPT), project) == []


def test_a_script_that_runs_what_has_to_do_with_torch_is_run(tmp_path: Path) -> None:
    write_tree(tmp_path, {"helper.py": TRAINER, "main.py": SCRIPT})
    (fault,) = analyse(Source(str(tmp_path / "main.py"), SCRIPT), Project([tmp_path]))
    assert (fault.kind.value, fault.assumptions) == ("saved-tensor-modified", frozenset())


LEAF_WRITTEN = "def {}():\n    w = torch.ones(1, requires_grad=True)\n    w += 1\n"


def test_no_definition_is_begun_after_so_many_steps(tmp_path: Path) -> None:
    text = "import torch\n" + "".join(map(LEAF_WRITTEN.format, ("f", "g")))
    source = Source("a.py", text)
    whole = analysed(source, Project.alone())
    part = analysed(source, Project.alone(), most=5)
    assert [fault.place.row for fault in part.faults if fault.place] == [4]
    assert [fault.steps for fault in whole.faults] == [3, part.steps]


@pytest.mark.parametrize(
    "statement",
    ["import tools.shifts", "import tools.shifts as shifts", "from tools import shifts"],
)
def test_a_folder_without_init(tmp_path: Path, statement: str) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "shifts.py").write_text("def shift(x):\n    x += 1\n")
    called = statement.rpartition(" ")[2]
    main = tmp_path / "main.py"
    main.write_text(
        f"import torch\n{statement}\n"
        f"w = torch.ones(3, requires_grad=True)\ny = w.exp()\n{called}.shift(y)\n"
        "y.sum().backward()\n"
    )
    (fault,) = analyse(Source(str(main), main.read_text()), Project([tmp_path]))
    assert fault.kind is FaultKind.SAVED_TENSOR_MODIFIED


def test_a_helper_in_another_file_that_writes_its_argument(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def shift(x):\n    x += 1\n")
    main = tmp_path / "main.py"
    main.write_text(
        "import torch\nfrom helper import shift\n"
        "w = torch.ones(3, requires_grad=True)\ny = w.exp()\nshift(y)\ny.sum().backward()\n"
    )
    (fault,) = analyse(Source(str(main), main.read_text()), Project([tmp_path]))
    assert fault.modified is not None and fault.modified.place is not None
    assert (Path(fault.modified.place.filename).name, fault.modified.place.row) == ("helper.py", 2)


def test_a_function_of_another_file_that_raises_does_not_end_the_program(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(
        "def load(count):\n    if count != 2:\n        raise ValueError\n    return count\n"
    )
    main = tmp_path / "main.py"
    main.write_text(
        "import torch\nfrom data import load\ndata = load(3)\n"
        "w = torch.ones(3, requires_grad=True)\nw += 1\n"
    )
    (fault,) = analyse(Source(str(main), main.read_text()), Project([tmp_path]))
    assert fault.kind is FaultKind.LEAF_MODIFIED
