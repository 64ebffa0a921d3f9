"""Programs with an error, and the lines that explain it."""

import json
from pathlib import Path

import pytest

from autograd_lint.diagnosis.diagnosing import Diagnosis, Request, diagnose

TWO_WRITES = """\
import torch

w = torch.randn(64, 1, requires_grad=True)


def first(x):
    h = torch.relu(x)
    h += 1
    return h.sum()


def second(x):
    h = torch.sigmoid(x)
    h += 2
    return h.sum()


def main(flag):
    loss = second(w) if flag else first(w)
    loss.backward()
"""
SAID = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [64, 1]], which is output 0 of {node}, is at version 1; "
    "expected version 0 instead."
)


def found(text: str, folder: Path, program: str = TWO_WRITES) -> Diagnosis:
    """The diagnosis of an error in a program of one file."""
    (folder / "train.py").write_text(program)
    diagnosis = diagnose(Request(text, [folder]))
    assert diagnosis is not None
    return diagnosis


def rows(diagnosis: Diagnosis) -> list[int]:
    """The rows of the candidates."""
    return [one.finding.place.row for one in diagnosis.ranked.candidates]


@pytest.mark.parametrize(("node", "row"), [("ReluBackward0", 8), ("SigmoidBackward0", 14)])
def test_the_node_tells_two_writes_apart(node: str, row: int, tmp_path: Path) -> None:
    assert rows(found(SAID.format(node=node), tmp_path))[0] == row


def test_what_disagrees_is_excluded_with_the_reason(tmp_path: Path) -> None:
    diagnosis = found(SAID.format(node="ExpBackward0"), tmp_path)
    assert rows(diagnosis) == []
    said = {one.said for every in diagnosis.ranked.excluded for one in every.disagreeing}
    assert "`relu` makes no node Exp" in said


def test_the_place_of_raising_tells_two_backwards_apart(tmp_path: Path) -> None:
    program = (
        "import torch\n\nw = torch.randn(3, requires_grad=True)\n\n\n"
        "def one():\n    h = w.exp()\n    h += 1\n    h.sum().backward()\n\n\n"
        "def two():\n    h = w.exp()\n    h *= 2\n    h.mean().backward()\n"
    )
    text = (
        'Traceback (most recent call last):\n  File "/other/train.py", line 15, in two\n'
        "    h.mean().backward()\n" + SAID.format(node="Exp").replace("[64, 1]", "[3]")
    )
    assert rows(found(text, tmp_path, program))[0] == 14


def test_the_traceback_decides_conditions(tmp_path: Path) -> None:
    program = (
        "import torch\n\n\ndef step(model, x, fast=False):\n    h = model(x).exp()\n"
        "    if fast:\n        h += 1\n        h.sum().backward()\n"
        "    else:\n        h.sum().backward()\n\n\n"
        "step(torch.nn.Linear(2, 2), torch.randn(1, 2), fast=bool(input()))\n"
    )
    text = (
        'Traceback (most recent call last):\n  File "train.py", line 13, in <module>\n'
        "    step(torch.nn.Linear(2, 2), torch.randn(1, 2), fast=bool(input()))\n"
        '  File "train.py", line 8, in step\n    h.sum().backward()\n'
        + SAID.format(node="Exp").replace("[64, 1]", "[1, 2]")
    )
    first = found(text, tmp_path, program).ranked.candidates[0]
    assert first.finding.place.row == 7
    assert first.probability > 0.9


def test_what_is_refused_with_another_message_is_no_candidate(tmp_path: Path) -> None:
    program = (
        "import copy\nimport torch\nw = torch.ones(2, requires_grad=True)\ncopy.deepcopy(w * 2)"
    )
    said = "RuntimeError: add(): functions with out=... arguments don't support automatic"
    assert rows(found(said, tmp_path, program)) == []
    refused = "RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the"
    assert rows(found(f"{refused} deepcopy protocol", tmp_path, program)) == [4]


def test_a_statement_is_suspected_where_no_run_shows_anything(tmp_path: Path) -> None:
    program = "import torch\nimport lib\n\n\ndef f(h):\n    y = lib.sigmoid(h)\n    y += 1\n"
    diagnosis = found(SAID.format(node="SigmoidBackward0"), tmp_path, program)
    assert rows(diagnosis) == [7]
    assert diagnosis.ranked.candidates[0].probability < 0.9


def test_comments_that_silence_findings_are_not_heeded(tmp_path: Path) -> None:
    program = TWO_WRITES.replace("h += 1", "h += 1  # noqa")
    assert rows(found(SAID.format(node="ReluBackward0"), tmp_path, program))[0] == 8


def test_without_paths_the_project_of_the_traceback_is_taken(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    program = tmp_path / "train.py"
    program.write_text("import torch\n\nw = torch.ones(3, requires_grad=True)\nw += 1\n")
    text = (
        f'Traceback (most recent call last):\n  File "{program}", line 4, in <module>\n    w += 1\n'
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."
    )
    diagnosis = diagnose(Request(text))
    assert diagnosis is not None
    assert rows(diagnosis) == [4]


def test_a_cell_of_a_notebook_is_the_place(tmp_path: Path) -> None:
    cells = ["import torch\nx = torch.randn(3, requires_grad=True)", "h = x.exp()\nh += 1"]
    document = [{"cell_type": "code", "source": cell} for cell in [*cells, "h.sum().backward()"]]
    (tmp_path / "train.ipynb").write_text(json.dumps({"cells": document}))
    text = "Cell In[7], line 1\n----> 1 h.sum().backward()\n\n" + SAID.format(node="Exp")
    diagnosis = diagnose(Request(text.replace("[64, 1]", "[3]"), [tmp_path]))
    assert diagnosis is not None
    assert diagnosis.troubles == ()
    first = diagnosis.ranked.candidates[0]
    assert (first.finding.cell, first.finding.place.row) == (2, 2)
    assert any(piece.what == "raised" and piece.agrees for piece in first.pieces)


def test_only_files_that_the_traceback_or_the_class_reach_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "net.py").write_text(
        "import torch\n\n\ndef net(x):\n    h = x.exp()\n    return h\n"
    )
    (tmp_path / "other.py").write_text("import torch\n\nprint(torch.zeros(3).sum())\n")
    (tmp_path / "writes.py").write_text("import torch\n\nprint(torch.zeros(3).add_(1))\n")
    (tmp_path / "train.py").write_text(
        "import torch\n\nfrom net import net\n\nx = torch.randn(3, requires_grad=True)\n"
        "h = net(x)\nh += 1\nh.sum().backward()\n"
    )
    frame = f'  File "{tmp_path}/train.py", line 8, in <module>\n    h.sum().backward()\n'
    header, said = "Traceback (most recent call last):\n", SAID.format(node="ExpBackward0")
    with_frames = diagnose(Request(header + frame + said, [tmp_path], jobs=1))
    without = diagnose(Request(said, [tmp_path], jobs=1))
    assert with_frames is not None and without is not None
    assert (with_frames.files, without.files) == (1, 2)
