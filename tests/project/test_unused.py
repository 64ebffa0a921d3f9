"""Comments that silence nothing are told, and taken away."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests import fakes
from tests.fakes import write_tree

from autograd_lint.analysis import Analysed
from autograd_lint.checking.pipeline import Checker
from autograd_lint.checking.request import Request
from autograd_lint.cli import running
from autograd_lint.configuration.selection import Selection
from autograd_lint.configuration.settings import Settings
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Certainty, Finding
from autograd_lint.fixes.applying import apply
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

HEAD = "import torch\n"


def check(text: str, settings: Settings | None = None, **machinery: object) -> list[Finding]:
    made = fakes.machinery(**machinery)  # type: ignore[arg-type]
    checker = Checker(settings or Settings(), Project.alone(), made)
    return list(checker.data(text.encode(), "a.py").findings)


def codes(text: str, settings: Settings | None = None, **machinery: object) -> list[str]:
    return [finding.code for finding in check(HEAD + text, settings, **machinery)]


def fixed(text: str) -> str:
    found = check(HEAD + text)
    after = apply((HEAD + text).encode(), "a.py", found, lambda d: check(d.decode()), unsafe=False)
    return after.data.decode().removeprefix(HEAD)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x  # noqa: AG101\n", "x\n"),
        ("x  # noqa: leaf-modified\n", "x\n"),
        ("x  # noqa: AG1  # why\n", "x  # why\n"),
        ("x  # noqa: AG101 because\n", "x  # because\n"),
        ("x  # why  # noqa: AG101\n", "x  # why\n"),
        ("x  # noqa: E501, AG101\n", "x  # noqa: E501\n"),
        ("bad()  # noqa: AG101, AG103\n", "bad()  # noqa: AG101\n"),
        ("x  # autograd-lint: ignore\n", "x\n"),
        ("x  # autograd-lint: ignore[AG101]", "x"),
        ("# autograd-lint: ignore[AG101]\nx\n", "x\n"),
        ("# autograd-lint: ignore-file[AG103]\nx\n", "x\n"),
        (
            "bad()  # autograd-lint: ignore[AG103, AG101]\n",
            "bad()  # autograd-lint: ignore[AG101]\n",
        ),
        (
            "bad()  # autograd-lint: ignore[AG101, AG999]\n",
            "bad()  # autograd-lint: ignore[AG101]\n",
        ),
        ("bad()  # noqa: AG101  # autograd-lint: ignore[AG101]\n", "bad()  # noqa: AG101\n"),
    ],
)
def test_what_silences_nothing_is_taken_away(text: str, expected: str) -> None:
    assert codes(text) == ["AG902"]
    assert fixed(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "bad()  # noqa: AG101\n",
        "bad()  # noqa: AG1\n",
        "# autograd-lint: ignore[leaf-modified]\nbad()\n",
        "# autograd-lint: ignore-file\nbad()\n",
        "x  # noqa\n",  # another linter may have something to say
        "x  # noqa: E501, XYZ12\n",
        "x  # noqa: AG101, AG902\n",
    ],
)
def test_what_silences_or_is_meant_for_others_is_left_alone(text: str) -> None:
    assert codes(text) == []


def test_rules_that_are_not_looked_for_may_be_silenced() -> None:
    text = "x  # noqa: AG101\n"
    assert codes(text, Settings(selection=Selection(ignore=("AG101",)))) == []
    assert codes(text, off_by_default=frozenset({"AG101"})) == []


def test_a_finding_too_uncertain_to_show_is_silenced_all_the_same() -> None:
    certain = Settings(certainty=Certainty.CERTAIN)
    assert codes("bad()  # noqa: AG101\n", certain, judge=fakes.likely) == []


def test_it_can_be_switched_off() -> None:
    assert codes("x  # noqa: AG101\n", Settings(selection=Selection(ignore=("AG902",)))) == []


def test_a_comment_that_silences_what_another_file_leads_to_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The finding in `b.py` is shown by the run of `a.py`, and by nothing else."""
    monkeypatch.chdir(tmp_path)
    write_tree(
        tmp_path,
        {
            "a.py": "import torch, b\nb.run(bad())\n",
            "b.py": "import torch\nx  # noqa: AG101\n",
            ".git/c": "",
        },
    )

    def analyse(source: Source, project: Project, most: int | None, coverage: bool) -> Analysed:
        other = str(tmp_path / "b.py")
        places = [replace(place, filename=other) for place in fakes.bad_places(source)]
        return Analysed([Fault(FaultKind.LEAF_MODIFIED, place) for place in places])

    request = Request(paths=("b.py",), output_format="concise", quiet=True)
    assert running.run(request, fakes.machinery()) == 1
    assert "b.py:2:4: AG902" in capsys.readouterr().out
    assert running.run(request, fakes.machinery(analyse)) == 0
    assert running.run(replace(request, paths=("a.py", "b.py")), fakes.machinery(analyse)) == 0
