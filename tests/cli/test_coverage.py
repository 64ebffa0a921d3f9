"""`check --coverage`, and the line about what a budget left out."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from tests.cli.test_check import check, code_of, trouble_of
from tests.fakes import write_tree

HELPER = "import torch\n\n\ndef _bump(values):\n    values *= values\n    return values\n"
SCRIPT = "import torch\nfrom helper import _bump\n\nw = torch.ones(3)\n_bump(w)\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path, {"pyproject.toml": "", "helper.py": HELPER})
    yield tmp_path


def last_line(result: Result) -> str:
    return result.stdout.splitlines()[-1]


def test_what_another_file_reaches_is_not_missed(here: Path) -> None:
    write_tree(here, {"helper.py": HELPER.replace("*= values", "+= values.other")})
    assert last_line(check("--coverage")).startswith("Reached 0 of 1")
    write_tree(here, {"script.py": SCRIPT, "helper.py": HELPER})
    assert last_line(check("--coverage")).startswith("Reached 1 of 1")


def test_what_was_kept_says_the_same(here: Path) -> None:
    write_tree(here, {"script.py": SCRIPT})
    assert check("--coverage").stdout == check("--coverage").stdout


def test_coverage_as_json(here: Path) -> None:
    (found,) = json.loads(check("--coverage", "--output-format", "json").stdout)
    assert (Path(found["filename"]).name, found["statements"]) == ("helper.py", 1)


@pytest.mark.parametrize("other", [["--output-format", "sarif"], ["--statistics"]])
def test_what_does_not_go_with_coverage(here: Path, other: list[str]) -> None:
    assert trouble_of(check("--coverage", *other)).startswith("--coverage")


def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograd_lint.analysis.budgets._FILE", 0)
    monkeypatch.setattr("autograd_lint.analysis.budgets._LINE", 0)


def test_what_a_budget_leaves_out_is_said_in_one_line(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short(monkeypatch)
    result = check("--no-cache", "--jobs", "1")
    assert result.stderr.endswith("the budget of a file was used up: 1 in helper.py\n")
    assert code_of(result) == 0


def test_and_noted_in_the_statistics(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    told = check("--statistics", "--output-format", "json", "--no-cache", "--jobs", "1").stdout
    (note,) = json.loads(told)
    assert note["notes"] == [{"filename": str(here / "helper.py"), "not_run": ["_bump"]}]


def test_quiet_leaves_it_out(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    assert check("--quiet", "--no-cache", "--jobs", "1").stderr == ""
