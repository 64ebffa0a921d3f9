"""Which files are run first, and how far."""

from pathlib import Path

import pytest

from autograd_lint.diagnosis import diagnosing, order
from autograd_lint.diagnosis.candidates import Budget
from autograd_lint.diagnosis.diagnosing import Diagnosis, Request, diagnose
from autograd_lint.diagnosis.printing import plain
from autograd_lint.engine.faults import FaultKind

SAID = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [3]], which is output 0 of SigmoidBackward0, is at "
    "version 1; expected version 0 instead."
)
PLAIN = "import torch\n\nw = torch.randn(3, requires_grad=True)\nh = w.exp()\nt = torch.zeros(3)\n"
PLAIN += "t += 1\nh.sum().backward()\n"
FAULTY = "import torch\n\nw = torch.randn(3, requires_grad=True)\nh = w.sigmoid()\nh += w\n"
FAULTY += "h.sum().backward()\n"


PARTS = "import torch\n\n\ndef f(x, y):\n    z = x * y\n    x += y\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Many files, of which the last by name has the mistake."""
    (tmp_path / "pyproject.toml").touch()
    for number in range(order.FEW + 1):
        (tmp_path / f"a{number:02}.py").write_text(PLAIN)
    (tmp_path / "z.py").write_text(FAULTY)
    return tmp_path


def found(project: Path) -> Diagnosis:
    """The diagnosis of an error of which only the message is known."""
    diagnosis = diagnose(Request(SAID, [project], jobs=1))
    assert diagnosis is not None
    return diagnosis


def test_the_most_suspect_file_is_run_first_and_the_budget_leaves_others_out(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "BUDGET", Budget(each=1_000, all_files=1))
    diagnosis = found(project)
    assert (diagnosis.files, diagnosis.left_out) == (1, order.FEW + 1)
    assert diagnosis.ranked.is_shown
    assert f"1 file was run, the most suspect first; {order.FEW + 1} were only" in plain(
        diagnosis, lambda name: Path(name).read_text().splitlines()
    )


def test_within_the_budget_all_files_are_run(project: Path) -> None:
    diagnosis = found(project)
    assert (diagnosis.files, diagnosis.left_out) == (order.FEW + 2, 0)


def test_of_equally_suspect_files_tests_come_last() -> None:
    files = [Path("tests/test_a.py"), Path("model.py"), Path("train.py")]
    assert order.ordered(files, {"train.py": 2.0}, FaultKind.GRAPH_FREED) == [
        files[2],
        files[1],
        files[0],
    ]


def test_where_not_all_files_can_be_looked_at_tests_come_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a_test.py", "model.py"):
        (tmp_path / name).write_text(PARTS)
    monkeypatch.setattr(diagnosing, "_MOST_SUSPECT", 60)
    found = diagnose(Request(SAID, [tmp_path], jobs=1))
    assert found is not None
    candidates = (*found.ranked.candidates, *found.ranked.excluded)
    suspected = [one for one in candidates if one.is_suspected]
    assert {Path(one.finding.place.filename).name for one in suspected} == {"model.py"}
