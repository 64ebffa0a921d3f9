"""`explain --why` lists what a finding is judged by."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograd_lint.cli import app
from autograd_lint.errors import Trouble

PROGRAM = """import torch


def scale(x):
    y = x.exp()
    y += 1
    return y
"""
CERTAIN = """import torch

w = torch.ones(2, requires_grad=True)
h = w.exp()
h += 1
h.sum().backward()
"""


def why(spot: str, *options: str) -> Result:
    return CliRunner().invoke(app, ["explain", "--why", spot, *options], standalone_mode=False)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def certain(tmp_path: Path) -> Path:
    path = tmp_path / "certain.py"
    path.write_text(CERTAIN)
    return path


def test_every_sign_is_listed_with_its_counts_and_what_it_adds(program: Path) -> None:
    told = why(f"AG103:{program}:6").stdout
    assert "every finding" in told
    assert "rule AG103" in told
    assert "assumption argument-requires-grad" in told
    assert "argument-requires-grad: `x` requires grad" in told


def test_what_signs_add_makes_the_sum(program: Path) -> None:
    lines = why(f"AG103:{program}:6").stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("sign"))
    adds = [float(line.split()[-1]) for line in lines[start + 1 :] if line[-1:].isdigit()]
    assert adds[-1] == pytest.approx(sum(adds[:-1]), abs=0.03)


def test_what_is_certain_assumes_nothing(certain: Path) -> None:
    assert "It assumes nothing." in why(f"AG103:{certain}:5").stdout


def test_the_signs_as_json(program: Path) -> None:
    (record,) = json.loads(why(f"ag103:{program}:6", "--output-format", "json").stdout)
    assert record["code"] == "AG103"
    assert [sorted(one) for one in record["signs"][:1]] == [["adds", "right", "sign", "wrong"]]


@pytest.mark.parametrize(
    ("spot", "said"),
    [
        ("AG103:{}:7", "AG103 is not found there; it is found in row 6"),
        ("AG103", "give CODE:FILE:ROW"),
    ],
)
def test_where_nothing_is_found_that_is_one_line(program: Path, spot: str, said: str) -> None:
    result = why(spot.format(program))
    assert isinstance(result.exception, Trouble)
    assert said in str(result.exception)
