"""`trace --record` and `check --facts`: what a run saw, taken as calls by the linter."""

import json
from pathlib import Path

import pytest
from tests.cli.test_check import check, code_of, trouble_of
from tests.fakes import write_tree
from tests.live.command import trace

FILES = {
    "pyproject.toml": "",
    "helper.py": "import torch\n\n\ndef bump(h):\n    h += 1\n    return h.sum()\n",
    "main.py": (
        "import torch\nimport helper\n\n\n"
        "def given(name):\n    return getattr(torch, name)(torch.ones(2, requires_grad=True))\n\n\n"
        "try:\n    helper.bump(given('sigm' + 'oid')).backward()\nexcept RuntimeError:\n    pass\n"
    ),
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run of the program saw."""
    folder = tmp_path_factory.mktemp("recorded")
    write_tree(folder, FILES)
    trace("--record", "facts.json", "main.py", cwd=folder, check=True)
    return (folder / "facts.json").read_text()


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: str) -> Path:
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path, {**FILES, "facts.json": facts})
    return tmp_path


def codes(*options: str) -> list[str]:
    result = check("helper.py", "--output-format", "json", *options)
    return [one["code"] for one in json.loads(result.stdout)]


def test_what_a_run_saw_shows_what_the_text_does_not(recorded: Path) -> None:
    assert codes() == []
    assert codes("--facts", "facts.json") == ["AG103"]


def test_a_finding_says_that_its_call_was_recorded(recorded: Path) -> None:
    assert "`bump` is called as in the recorded run" in check("--facts", "facts.json").stdout


def test_the_configuration_can_name_them(recorded: Path) -> None:
    (recorded / "pyproject.toml").write_text('[tool.autograd-lint]\nfacts = ["facts.json"]\n')
    assert codes() == ["AG103"]


def test_what_was_kept_is_not_good_for_other_facts(recorded: Path) -> None:
    (recorded / "pyproject.toml").write_text('[tool.autograd-lint]\nfacts = ["facts.json"]\n')
    assert codes() == ["AG103"]
    text = (recorded / "facts.json").read_text()
    (recorded / "facts.json").write_text(text.replace('"made_by": "sigmoid"', '"made_by": "add"'))
    assert codes() == []


def test_several_processes_see_them(recorded: Path) -> None:
    for number in range(12):
        (recorded / f"other_{number}.py").write_text(FILES["helper.py"])
    result = check("--facts", "facts.json", "--jobs", "2", "--output-format", "json")
    assert [Path(one["filename"]).name for one in json.loads(result.stdout)] == ["helper.py"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("{", "this is not JSON; record it again"),
        ("[]", "these are no recorded facts; record it again"),
    ],
)
def test_a_file_that_holds_none_is_one_line(recorded: Path, text: str | None, said: str) -> None:
    if text is not None:
        (recorded / "other.json").write_text(text)
    trouble = trouble_of(check("--facts", "other.json"))
    assert trouble == f"facts: {recorded / 'other.json'}: {said}"


def test_a_file_that_cannot_be_written_is_told_before_the_run(recorded: Path) -> None:
    done = trace("--record", "no/f.json", "main.py", cwd=recorded)
    assert done.returncode == 2
    assert "--record no/f.json: cannot be written" in done.stderr


def test_exit_codes_are_those_of_findings(recorded: Path) -> None:
    assert code_of(check("helper.py", "--facts", "facts.json")) == 1
