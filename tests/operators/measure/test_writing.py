"""The measuring program writes tables that the loader reads."""

import json
from pathlib import Path

import pytest
import torch

from autograd_lint.operators.measure.__main__ import main
from autograd_lint.operators.table import Contents, Table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    path = tmp_path / "table.json"
    main(["--output", str(path), "sigmoid", "add_", "nn.Linear", "no_such_operator"])
    return Table(Contents.of(json.loads(path.read_text())))


def test_writes_the_operators_asked_for(table: Table) -> None:
    assert set(table) == {"sigmoid", "add_", "nn.Linear"}


def test_names_the_torch_that_runs(table: Table) -> None:
    assert torch.__version__.startswith(table.torch_version)


def test_says_where_operators_live(table: Table) -> None:
    assert table.is_tensor_method("add_")
    assert table.find("torch.add_") is None
    assert table.find("torch.sigmoid") == table.find("torch.Tensor.sigmoid")
    assert table.is_layer("nn.Linear")


def test_writes_the_parameters_of_layers(table: Table) -> None:
    linear = table.operator("nn.Linear")
    assert (linear.parameters, linear.buffers) == (("weight", "bias"), ())
