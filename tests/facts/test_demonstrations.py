"""What stands at the end of a module to show what it does."""

from pathlib import Path

import pytest

from autograd_lint.facts.demonstrations import is_demonstration
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

MODULE = """import torch

class Layer(torch.nn.Module):
    pass

def show():
    print(Layer()(torch.ones(2)))

if __name__ == "__main__":
    {main}
"""
FUNCTION, MAIN = 7, 10


def shown(tmp_path: Path, row: int, main: str, other: str, *, whole: bool = False) -> bool:
    text = MODULE.format(main=main)
    write_tree(tmp_path, {"layer.py": text, "other.py": other})
    source = Source(str(tmp_path / "layer.py"), text)
    return is_demonstration(source, row, Project([tmp_path]), whole=whole)


USER = "from layer import Layer\nprint(Layer())\n"


@pytest.mark.parametrize(
    ("row", "main", "other", "expected"),
    [
        (MAIN, "print(Layer()(torch.randn(2)))", USER, True),
        (FUNCTION, "show()", USER, True),
        (FUNCTION, "show()", USER + "import layer\nlayer.show()\n", False),
        (FUNCTION, "pass", USER, False),
        (MAIN, "print(Layer()(torch.randn(2)))", "", False),
        (MAIN, "print(Layer()(torch.load('x.pt') + torch.zeros(1)))", USER, False),
        (MAIN, "print(Layer()(batch()))", USER, False),
        (3, "print(Layer()(torch.randn(2)))", USER, False),
    ],
)
def test_what_runs_on_made_up_numbers_where_the_module_is_run_by_itself(
    tmp_path: Path, row: int, main: str, other: str, expected: bool
) -> None:
    assert shown(tmp_path, row, main, other) is expected


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        ("print(Layer()(torch.randn(2)))", True),
        ("print(Layer()(torch.load('x.pt') + torch.zeros(1)))", False),
        ("print(Layer()(torch.randn(2)))\n\nLayer()", False),
    ],
)
def test_a_run_of_a_module_that_only_defines_is_one_of_its_demonstration(
    tmp_path: Path, main: str, expected: bool
) -> None:
    in_class = 3
    assert shown(tmp_path, in_class, main, USER, whole=True) is expected


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("test/test_layer.py", "torch.rand(2)", True),
        ("test/test_layer.py", "torch.load('x.pt') + torch.rand(2)", False),
        ("train_layer.py", "torch.rand(2)", False),
    ],
)
def test_a_script_that_tries_something_out_is_a_test_by_its_name(
    tmp_path: Path, name: str, data: str, expected: bool
) -> None:
    text = f"import torch\nfrom layer import Layer\nprint(Layer()({data}))\n"
    source = Source(str(tmp_path / name), text)
    assert is_demonstration(source, 3, Project([tmp_path])) is expected
