"""`check --shard` and `merge`: parts of a run, joined to what one run would have told."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.test_check import check, code_of, trouble_of
from tests.fakes import write_tree

from autograd_lint.cli import app

BAD = "import torch\n\nw = torch.ones(3, requires_grad=True)\nw += {number}\n"
HELPER = "import torch\n\n\ndef bump(w):\n    w += 1\n    return w\n"
USER = "import torch\nimport {helper}\n\n{helper}.bump(torch.ones(3, requires_grad=True))\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {f"bad_{number}.py": BAD.format(number=number) for number in range(5)}
    write_tree(
        tmp_path,
        {
            "pyproject.toml": "",
            **files,
            "a_helper.py": HELPER,
            "z_helper.py": HELPER,
            "a_user.py": USER.format(helper="z_helper"),
            "z_user.py": USER.format(helper="a_helper"),
        },
    )
    return tmp_path


def merge(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["merge", *arguments], standalone_mode=False)


def parts(form: str, count: int = 3) -> list[str]:
    names = [f"part{number}.{form}" for number in range(1, count + 1)]
    for number, name in enumerate(names, 1):
        options = ("--shard", f"{number}/{count}", "--output-format", form)
        code_of(check(*options, "--output-file", name))
    return names


def test_the_parts_tell_what_the_whole_tells() -> None:
    whole = json.loads(check("--output-format", "json").stdout)
    assert len(whole) > 6
    assert json.loads(merge(*parts("json")).stdout) == whole


def test_each_part_tells_something_of_its_own() -> None:
    lengths = [len(json.loads(Path(name).read_text())) for name in parts("json")]
    assert all(lengths)


def test_sarif_is_joined_to_one_run(project: Path) -> None:
    code_of(check("--output-format", "sarif", "--output-file", "whole.sarif"))
    whole = json.loads(Path("whole.sarif").read_text())
    code_of(merge(*parts("sarif"), "-o", "all.sarif"))
    found = json.loads(Path("all.sarif").read_text())
    (run,), (expected,) = found["runs"], whole["runs"]

    def key(result: object) -> str:
        return json.dumps(result, sort_keys=True)

    assert sorted(run["results"], key=key) == sorted(expected["results"], key=key)
    assert run["tool"] == expected["tool"]


def test_baselines_are_joined(project: Path) -> None:
    names = [f"known{number}.json" for number in (1, 2)]
    for number, name in enumerate(names, 1):
        code_of(check("--shard", f"{number}/2", "--baseline", name, "--write-baseline"))
    code_of(merge(*names, "-o", "known.json"))
    assert json.loads(check("--baseline", "known.json", "--output-format", "json").stdout) == []


def test_facts_are_joined(project: Path) -> None:
    head = '{"kind": "autograd-lint facts", "version": 1, "functions": ['
    row = '{"file": "a.py", "name": "NAME", "text": "1", "calls": [CALL]}'
    call = '{"times": 2, "arguments": {"is": "named", "entries": {}}}'
    row = row.replace("CALL", call)
    for name in "fg":
        (project / f"{name}.json").write_text(head + row.replace("NAME", name) + "]}")
    found = json.loads(merge("f.json", "g.json").stdout)
    assert [one["name"] for one in found["functions"]] == ["f", "g"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "merge: a.json: this is not JSON; name what autograd-lint wrote"),
        (
            "{}",
            "merge: a.json: neither findings as JSON or SARIF, nor a baseline, nor recorded facts",
        ),
        ('{"findings": 3}', "merge: a.json: one of them is damaged; write it again"),
        ('[{"code": 1}]', "merge: a.json: one of them is damaged; write it again"),
        ('{"runs": [{}]}', "merge: a.json: one of them is damaged; write it again"),
        ('{"functions": []}', "merge: a.json: these are no recorded facts; record it again"),
    ],
)
def test_what_cannot_be_joined_is_one_line(project: Path, text: str, said: str) -> None:
    (project / "a.json").write_text(text)
    assert trouble_of(merge("a.json")) == said


def test_files_of_two_kinds_are_refused(project: Path) -> None:
    (project / "a.json").write_text("[]")
    (project / "b.json").write_text('{"version": 1, "findings": []}')
    said = "merge: a.json holds findings, b.json a baseline; name files of one kind"
    assert trouble_of(merge("a.json", "b.json")) == said


def test_a_missing_file_is_one_line() -> None:
    assert (
        trouble_of(merge("no.json")) == "merge: no.json: cannot be read (No such file or directory)"
    )


@pytest.mark.parametrize("option", ["--fix", "--add-noqa", "--watch", "-"])
def test_a_part_is_only_checked(option: str) -> None:
    assert trouble_of(check("--shard", "1/2", option)).startswith("--shard: a part is only checked")


def test_a_comment_that_another_part_needs_is_not_called_unused(project: Path) -> None:
    (project / "z_helper.py").write_text(HELPER.replace("+= 1", "+= 1  # noqa: AG101"))
    found = json.loads(merge(*parts("json", 2)).stdout)
    assert "AG902" not in {one["code"] for one in found}
