"""`check --fix`, `--diff`, `--add-noqa` and baselines."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests import fakes
from tests.fakes import write_tree

from autograd_lint.checking.machinery import Machinery
from autograd_lint.checking.request import Request
from autograd_lint.cli import running
from autograd_lint.errors import Trouble
from autograd_lint.findings import Edit, Finding, Fix


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path, {"a.py": "import torch\nbad()\n", "b.py": "import torch\n"})
    return tmp_path


def mending(applicability: str = "safe") -> Callable[[], Machinery]:
    """Machinery whose findings have a fix: `bad()` becomes `good()`."""

    def judge(fault: fakes.Fault, source: object) -> Finding | None:
        assert fault.place
        fix = Fix(applicability, "be good", (Edit("good()", fault.place),))
        return replace(fakes.finding_at(fault.place), fix=fix)

    return fakes.machinery(judge=judge)


def run(machinery: Callable[[], Machinery], *paths: str, **options: object) -> int:
    return running.run(Request(paths=paths, **options), machinery)  # type: ignore[arg-type]


def test_fix_mends_the_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(mending(), fix=True) == 0
    assert (here / "a.py").read_text() == "import torch\ngood()\n"
    captured = capsys.readouterr()
    assert captured.err == "autograd-lint: fixed 1 finding\n"
    assert captured.out == "No findings.\n"


def test_unsafe_fixes_wait_to_be_asked_for(here: Path) -> None:
    assert run(mending("unsafe"), fix=True) == 1
    assert run(mending("unsafe"), fix=True, unsafe_fixes=True) == 0


def test_the_last_lines_say_what_is_fixable(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(mending("unsafe"))
    assert capsys.readouterr().out.endswith("1 fixable with `--fix --unsafe-fixes`.\n")


@pytest.mark.parametrize("fix", [False, True])
def test_diff_shows_and_changes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str], fix: bool
) -> None:
    assert run(mending(), diff=True, fix=fix) == 1
    assert capsys.readouterr().out == (
        "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n import torch\n-bad()\n+good()\n"
    )
    assert (here / "a.py").read_text() == "import torch\nbad()\n"


def test_diff_of_nothing_is_0(here: Path) -> None:
    assert run(mending(), "b.py", diff=True) == 0


def test_unsafe_fixes_alone_is_one_line(here: Path) -> None:
    with pytest.raises(Trouble, match="--unsafe-fixes works with --fix or --diff"):
        run(mending(), unsafe_fixes=True)


def test_comments_cannot_be_added_to_standard_input(here: Path) -> None:
    with pytest.raises(Trouble, match="standard input cannot be written to"):
        run(mending(), "-", add_noqa=True)


@pytest.mark.parametrize(
    ("applicability", "written", "code"), [("safe", "good()", 0), ("unsafe", "bad()", 1)]
)
def test_standard_input_is_fixed_to_standard_output(
    here: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    applicability: str,
    written: str,
    code: int,
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"import torch\r\nbad()\r\n"))
    monkeypatch.setattr(sys, "stdin", given)
    assert run(mending(applicability), "-", stdin_filename="c.py", fix=True) == code
    captured = capfdbinary.readouterr()
    assert captured.out == f"import torch\r\n{written}\r\n".encode()
    assert (b"AG101" in captured.err) is bool(code)


def test_what_unsafe_fixes_would_fix_is_told(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(mending("unsafe"), fix=True)
    told = "autograd-lint: fixed 0 findings; `--unsafe-fixes` would fix 1\n"
    assert capsys.readouterr().err == told


def test_a_diff_tells_what_unsafe_fixes_would_fix(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(mending("unsafe"), diff=True) == 0
    assert capsys.readouterr() == ("", "autograd-lint: `--unsafe-fixes` would fix 1\n")


def test_a_name_for_standard_input_needs_standard_input(here: Path) -> None:
    with pytest.raises(Trouble, match="give `-` as the path"):
        run(mending(), stdin_filename="a.py")


def test_add_noqa_silences_every_finding(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(fakes.machinery(), add_noqa=True) == 0
    assert (here / "a.py").read_text() == "import torch\nbad()  # autograd-lint: ignore[AG101]\n"
    assert capsys.readouterr().err == "autograd-lint: silenced the findings of 1 line\n"
    assert run(fakes.machinery()) == 0


def test_what_a_baseline_knows_is_left_out_even_when_lines_move(here: Path) -> None:
    assert run(fakes.machinery(), baseline="known.json", write_baseline=True) == 0
    write_tree(here, {"a.py": "import torch\n\n\n  \nbad()\n"})
    assert run(fakes.machinery(), baseline="known.json") == 0


def test_how_many_findings_a_baseline_records_is_told(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(fakes.machinery(), baseline="known.json", write_baseline=True)
    assert capsys.readouterr().err == "autograd-lint: recorded 1 finding in the baseline\n"


def test_what_a_baseline_does_not_know_is_told(here: Path) -> None:
    run(fakes.machinery(), baseline="known.json", write_baseline=True)
    write_tree(here, {"a.py": "import torch\nbad()\nbad()\n"})
    assert run(fakes.machinery(), baseline="known.json") == 1


def test_a_baseline_is_readable(here: Path) -> None:
    run(fakes.machinery(), baseline="known.json", write_baseline=True)
    assert json.loads((here / "known.json").read_text()) == {
        "version": 1,
        "findings": [{"file": "a.py", "code": "AG101", "line": "bad()", "count": 1}],
    }


def test_a_configured_baseline_lies_beside_its_configuration(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(here, {"autograd-lint.toml": 'baseline = "known.json"', "sub/c.py": ""})
    monkeypatch.chdir(here / "sub")
    assert run(fakes.machinery(), "..", write_baseline=True) == 0
    assert (here / "known.json").is_file()
    assert run(fakes.machinery(), "..") == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, "no such baseline; create it with --write-baseline"),
        ("[]", "is not a baseline; write a new one with --write-baseline"),
        ("{", "is not a baseline; write a new one with --write-baseline"),
        ('{"findings": [{}]}', "is not a baseline; write a new one with --write-baseline"),
    ],
)
def test_a_wrong_baseline_is_one_line(here: Path, text: str | None, line: str) -> None:
    if text is not None:
        write_tree(here, {"known.json": text})
    with pytest.raises(Trouble) as raised:
        run(fakes.machinery(), baseline="known.json")
    assert str(raised.value) == f"{here}/known.json: {line}"


def test_write_baseline_needs_a_file(here: Path) -> None:
    with pytest.raises(Trouble, match="name the file to write with --baseline"):
        run(fakes.machinery(), write_baseline=True)


def test_diff_of_standard_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"import torch\nbad()\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    assert run(mending(), "-", diff=True, stdin_filename="new.py") == 1
    assert "--- new.py\n" in capsys.readouterr().out


def test_add_noqa_passes_over_what_cannot_be_decoded(here: Path) -> None:
    (here / "c.py").write_bytes(b"import torch\nx = '\xe9'\n")
    assert run(fakes.machinery(), "c.py", add_noqa=True) == 0
    assert (here / "c.py").read_bytes() == b"import torch\nx = '\xe9'\n"


def test_a_reason_stands_behind_what_is_added(here: Path) -> None:
    assert run(fakes.machinery(), add_noqa=True, reason="known") == 0
    assert (
        here / "a.py"
    ).read_text() == "import torch\nbad()  # autograd-lint: ignore[AG101]  # known\n"


def test_a_reason_alone_is_one_line(here: Path) -> None:
    with pytest.raises(Trouble, match="--reason works with --add-noqa"):
        run(fakes.machinery(), reason="known")


NOTEBOOK = """{
 "cells": [
  {"cell_type": "code", "outputs": [{"data": 1.50}], "source": ["import torch\\n", "%time x"]},
  {"cell_type": "code", "outputs": [],"source": "x = 1\\nbad()"}
 ], "metadata": {"a":  1}}
"""


def test_fix_mends_notebooks_and_leaves_the_rest_of_them(here: Path) -> None:
    write_tree(here, {"n.ipynb": NOTEBOOK})
    assert run(mending(), "n.ipynb", fix=True) == 0
    assert (here / "n.ipynb").read_text() == NOTEBOOK.replace("bad()", "good()")


def test_diff_and_add_noqa_know_notebooks(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(here, {"n.ipynb": NOTEBOOK})
    assert run(mending(), "n.ipynb", diff=True) == 1
    assert "good()" in capsys.readouterr().out
    assert run(fakes.machinery(), "n.ipynb", add_noqa=True) == 0
    expected = NOTEBOOK.replace("bad()", "bad()  # autograd-lint: ignore[AG101]")
    assert (here / "n.ipynb").read_text() == expected
