"""`check --confirm`."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes import finding_at, machinery, write_tree

from autograd_lint.checking.request import Request
from autograd_lint.cli import running
from autograd_lint.engine.faults import Fault
from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding, Prediction
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.devices import device_for
from autograd_lint.project.source import Source

PROGRAM = """\
import torch

w = torch.ones(3, requires_grad={})
w.add_(1)  # bad()
(w * torch.ones(3, requires_grad=True)).sum().backward()
"""
BODY = """\
import torch
    w = torch.ones(3, requires_grad=True)
    w.add_(1)  # bad()
    (w * torch.ones(3, requires_grad=True)).sum().backward()
"""


def judge(fault: Fault, source: Source) -> Finding | None:
    """The claim that the line raises."""
    assert fault.place
    predicts = Prediction("leaf-modified", source.filename, fault.place.row)
    return finding_at(fault.place, predicts=predicts)


def run(here: Path) -> int:
    request = Request(paths=(str(here),), confirm=True)
    return running.run(request, machinery(judge=judge))


def test_a_finding_that_is_right_is_confirmed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(tmp_path, {"a.py": PROGRAM.format(True)})
    assert run(tmp_path) == 1
    shown = capsys.readouterr().out
    assert "raises at row 4: RuntimeError: a leaf Variable" in shown
    assert shown.endswith("On the real engine: 1 confirmed.\n")


def test_a_finding_that_is_wrong_is_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(tmp_path, {"a.py": PROGRAM.format(False)})
    assert run(tmp_path) == 0
    shown = capsys.readouterr().out
    assert shown == "No findings.\nOn the real engine: 1 refuted and left out.\n"


def test_witnesses_are_saved_as_programs_that_fail_the_same_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(tmp_path, {"code/a.py": f"def driven():\n    {BODY}"})
    code, folder = tmp_path / "code", tmp_path / "witnesses"
    request = Request(paths=(str(code),), confirm=True, save_witnesses=str(folder))
    assert running.run(request, machinery(judge=judge)) == 1
    (witness,) = folder.iterdir()
    assert "confirmed by torch" in witness.read_text()
    assert [path.name for path in code.iterdir()] == ["a.py"]
    ran = subprocess.run([sys.executable, witness], capture_output=True, text=True)
    assert "a leaf Variable that requires grad is being used in an in-place" in ran.stderr


def test_findings_in_files_of_one_name_have_a_witness_each(tmp_path: Path) -> None:
    program = f"def driven():\n    {BODY}"
    write_tree(tmp_path, {"code/a/f.py": program, "code/b/f.py": program})
    folder = tmp_path / "witnesses"
    request = Request(paths=(str(tmp_path / "code"),), confirm=True, save_witnesses=str(folder))
    running.run(request, machinery(judge=judge))
    assert sorted(path.name for path in folder.iterdir()) == ["AG101_f_4.py", "AG101_f_4_2.py"]


def test_no_file_of_the_user_is_overwritten_by_a_witness(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": PROGRAM.format(True), "AG101_a_4.py": "mine = 1\n"})
    request = Request(paths=(str(tmp_path / "a.py"),), confirm=True, save_witnesses=str(tmp_path))
    with pytest.raises(Trouble, match="is there already, and no witness"):
        running.run(request, machinery(judge=judge))
    assert (tmp_path / "AG101_a_4.py").read_text() == "mine = 1\n"


def test_cuda_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    witnesses = Witnesses()
    monkeypatch.setattr(witnesses, "has_cuda", lambda: False)
    assert [device_for(choice, witnesses) for choice in ("cpu", "auto")] == ["cpu", "cpu"]
    with pytest.raises(Trouble, match="torch sees no CUDA device in the sandbox here"):
        device_for("cuda", witnesses)
