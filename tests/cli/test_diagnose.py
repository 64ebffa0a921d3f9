"""The command that leads from an error to the line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograd_lint.cli import app
from autograd_lint.errors import Trouble

PROGRAM = "import torch\n\nx = torch.randn(3, requires_grad=True)\nh = x.exp()\nh += 1\n"
PROGRAM += "h.sum().backward()\n"
ERROR = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [3]], which is output 0 of ExpBackward0, is at "
    "version 1; expected version 0 instead."
)


def invoke(*arguments: str, said: str = ERROR) -> Result:
    given = ("diagnose", "--no-cache", "--isolated", *arguments)
    return CliRunner().invoke(app, given, input=said, standalone_mode=False)


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    return str(path)


def test_the_answer_has_the_picture_and_why_it_fits(program: str) -> None:
    result = invoke(program)
    assert result.return_value == 1
    assert "h += 1" in result.stdout
    assert "= fits: `exp` makes the node Exp that the message names" in result.stdout
    assert "= help: write `h = h + 1`" in result.stdout


def test_as_json_candidates_have_a_rank_and_evidence(program: str) -> None:
    records = json.loads(invoke(program, "--output-format", "json").stdout)
    assert [record["rank"] for record in records] == [1]
    assert records[0]["code"] == "AG103"
    assert records[0]["location"]["row"] == 5
    assert {"what": "writes", "agrees": True} in [
        {key: one[key] for key in ("what", "agrees")} for one in records[0]["evidence"]
    ]
    assert 0.9 < records[0]["probability"] <= 1


def test_an_error_file_is_read(program: str, tmp_path: Path) -> None:
    (tmp_path / "error.log").write_text(ERROR)
    assert invoke(program, "--error", str(tmp_path / "error.log"), said="").return_value == 1


def test_nothing_of_autograd_is_one_line(program: str) -> None:
    result = invoke(program, "--output-format", "json", said="KeyError: 'x'")
    assert result.return_value == 0
    assert json.loads(result.stdout) == []
    assert "nothing of autograd is in this text" in result.stderr


def test_nothing_fits_tells_what_was_excluded(program: str) -> None:
    result = invoke(program, said=ERROR.replace("ExpBackward0", "TanhBackward0"))
    assert result.return_value == 0
    assert "Nothing in 1 file" in result.stdout
    assert "`exp` makes no node Tanh" in " ".join(result.stdout.split())


@pytest.mark.parametrize("arguments", [("--error", "nowhere.txt"), ()])
def test_nothing_to_read_is_one_line(arguments: tuple[str, ...]) -> None:
    result = invoke(*arguments, said="")
    assert isinstance(result.exception, Trouble)


def test_a_symptom_ranks_what_is_silent(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import torch\n\nw = torch.randn(3, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)\n"
        "total = 0\nfor _ in range(100):\n    loss = (w ** 2).sum()\n    opt.zero_grad()\n"
        "    loss.backward()\n    opt.step()\n    total += loss\nprint(total)\n"
    )
    result = invoke(str(tmp_path), "--symptom", "memory", "--output-format", "json", said="")
    assert result.return_value == 1
    assert json.loads(result.stdout)[0]["location"]["row"] == 11
