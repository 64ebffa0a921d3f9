"""The pipeline from bytes to findings."""

import json
import sys
from pathlib import Path

import pytest
from tests import fakes

from autograd_lint.analysis import Analysed
from autograd_lint.checking.checked import Checked, unique
from autograd_lint.checking.pipeline import Checker, check_source
from autograd_lint.configuration.selection import Selection
from autograd_lint.configuration.settings import PerFileIgnore, Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def checker(settings: Settings | None = None, **parts: object) -> Checker:
    return Checker(settings or Settings(), Project.alone(), fakes.machinery(**parts))  # type: ignore[arg-type]


def rows(checked: Checked) -> list[int]:
    return [finding.place.row for finding in checked.findings]


def test_a_finding_is_reported() -> None:
    assert rows(checker().data(b"import torch\nbad()\n", "a.py")) == [2]


def test_a_file_without_torch_is_not_even_parsed() -> None:
    assert checker().data(b"bad(\n", "a.py") == Checked("a.py")


def test_check_source_needs_no_project() -> None:
    found = check_source(Source("a.py", "bad()"), Settings(), machinery=fakes.machinery())
    assert [finding.code for finding in found] == ["AG101"]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"import torch\nx = (\n", id="unclosed parenthesis"),
        pytest.param(b"import torch\nx = '\xe9'\n", id="Latin-1 without a coding comment"),
        pytest.param(b"# coding: klingon\nimport torch\n", id="unknown encoding"),
        pytest.param(b"# coding: rot13\nvzcbeg torch\n", id="encoding that is none of text"),
        pytest.param(b"import torch\nx = 1\x00\n", id="nul byte"),
        pytest.param(b"import torch\nx = " + b"(" * 3000 + b")" * 3000, id="3000 parentheses"),
        pytest.param(b"import torch\nx = " + b"-" * 100_000 + b"1", id="100000 signs"),
        pytest.param(b"import torch\nx = " + b"[" * 300 + b"]" * 300, id="300 lists"),
        pytest.param(b"import torch\n\tx = 1\n", id="unexpected indent"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_a_finding(data: bytes) -> None:
    checked = checker().data(data, "a.py")
    assert [finding.code for finding in checked.findings] == ["AG901"]
    assert not checked.trouble


def test_what_a_newer_python_may_parse_is_not_checked(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.99"')
    path = tmp_path / "a.py"
    checked = Checker(Settings(), Project([tmp_path])).data(b"import torch\nx = (\n", str(path))
    assert not checked.findings
    assert checked.trouble == (
        f"{path}: not checked: it is written for Python 3.99; run autograd-lint with that"
    )


def test_what_is_written_as_only_a_newer_python_reads_it_is_not_checked() -> None:
    checked = checker().data(b"import torch\ntype Batch = torch.Tensor\n", "a.py")
    assert not checked.findings
    assert bool(checked.trouble) is (sys.version_info < (3, 12))


def test_a_parse_error_points_at_its_place() -> None:
    (finding,) = checker().data(b"import torch\nx = = 1\n", "a.py").findings
    assert (finding.place.row, finding.place.column) == (2, 5)
    assert finding.message == "the file cannot be parsed: invalid syntax"


@pytest.mark.parametrize(
    ("data", "name", "said", "remedy"),
    [
        (b"import torch\nx = = 1\n", "a.py", "invalid syntax", "fix the syntax error"),
        (b"import torch\nx = '\xe9'\n", "a.py", "is not utf-8", "save the file as UTF-8"),
        (b"# coding: none\nimport torch\n", "a.py", "unknown encoding", "save the file as UTF-8"),
        (b"torch", "a.ipynb", "it is no JSON", "save it as a notebook once more"),
        (b'{"torch": 1}', "a.ipynb", "it has no cells", "save it as a notebook once more"),
    ],
)
def test_the_remedy_is_that_of_what_stops_the_reading(
    data: bytes, name: str, said: str, remedy: str
) -> None:
    (finding,) = checker().data(data, name).findings
    assert said in finding.message
    assert finding.help.startswith(remedy)


def test_a_byte_that_is_no_text_is_pointed_at() -> None:
    (finding,) = checker().data("import torch\nx = 'é".encode() + b"\xe9'\n", "a.py").findings
    assert (finding.place.row, finding.place.column) == (2, 7)
    assert "byte 0xe9 is not utf-8" in finding.message


def test_latin_1_with_a_coding_comment_is_read() -> None:
    data = "# coding: latin-1\nimport torch\ns = 'é'; bad()\n".encode("latin-1")
    (finding,) = checker().data(data, "a.py").findings
    assert finding.place.column == 10


def test_a_byte_order_mark_is_no_character() -> None:
    (finding,) = checker().data(b"\xef\xbb\xbfbad()  # torch\n", "a.py").findings
    assert finding.place.column == 1


def test_an_empty_file_is_fine() -> None:
    assert checker().data(b"", "a.py") == Checked("a.py")


def test_escapes_in_strings_warn_nobody() -> None:
    assert rows(checker().data(b"import torch\ns = '\\d'\nbad()\n", "a.py")) == [3]


def test_a_crash_names_the_file_and_the_exception() -> None:
    def crash(source: Source, project: Project, most: int | None, coverage: bool) -> Analysed:
        raise KeyError("missing\nkey")

    checked = checker(analyse=crash).data(b"import torch", "a.py")
    assert "a.py: the analysis crashed (KeyError: 'missing\\nkey')" in checked.trouble


def test_an_analysis_that_recurses_without_end_is_a_crash_of_that_file() -> None:
    def recurse(source: Source, project: Project, most: int | None, coverage: bool) -> Analysed:
        return recurse(source, project, most, coverage)

    assert "RecursionError" in checker(analyse=recurse).data(b"import torch", "a.py").trouble


def test_less_certain_findings_are_left_out() -> None:
    certain = Settings(certainty=Certainty.CERTAIN)
    assert not rows(checker(certain, judge=fakes.likely).data(b"import torch; bad()", "a.py"))
    assert rows(checker(judge=fakes.likely).data(b"import torch; bad()", "a.py"))


def test_rules_off_by_default_are_left_out_unless_selected() -> None:
    off = frozenset({"AG101"})
    selected = Settings(selection=Selection(extend_select=("AG101",)))
    assert not rows(checker(off_by_default=off).data(b"import torch; bad()", "a.py"))
    assert rows(checker(selected, off_by_default=off).data(b"import torch; bad()", "a.py"))


def test_per_file_ignores_silence_the_files_they_match(tmp_path: Path) -> None:
    settings = Settings(per_file_ignores=(PerFileIgnore("tests/*", ("AG1",), tmp_path),))
    data = b"import torch; bad()"
    assert not rows(checker(settings).data(data, str(tmp_path / "tests" / "a.py")))
    assert rows(checker(settings).data(data, str(tmp_path / "src" / "a.py")))


def test_a_suppressed_finding_is_counted_and_not_shown() -> None:
    checked = checker().data(b"import torch\nbad()  # noqa: AG101\nbad()\n", "a.py")
    assert (rows(checked), checked.suppressed) == ([3], 1)


def test_noqa_row_is_where_a_comment_can_stand() -> None:
    checked = checker().data(b'import torch\ns = f(bad(), """\n\n""")\n', "a.py")
    assert [finding.noqa_row for finding in checked.findings] == [4]


def test_a_finding_in_an_imported_file_obeys_that_files_comments(tmp_path: Path) -> None:
    fakes.write_tree(
        tmp_path, {"main.py": "import torch, helper\n", "helper.py": "bad()  # noqa\n"}
    )

    def through_import(
        source: Source, project: Project, most: int | None, coverage: bool
    ) -> Analysed:
        helper = project.resolve("helper", source)
        return fakes.analyse(helper, project) if helper else Analysed([])

    made = fakes.machinery(analyse=through_import)
    checked = Checker(Settings(), Project([tmp_path]), made).file(tmp_path / "main.py")
    assert (checked.findings, checked.suppressed) == ((), 1)


def test_one_finding_for_each_code_and_place_the_most_certain() -> None:
    place = Place("a.py", 1, 1, 1, 2)
    sure, unsure = (
        fakes.finding_at(place, certainty=c) for c in (Certainty.CERTAIN, Certainty.LIKELY)
    )
    other = fakes.finding_at(place, code="AG102")
    assert unique([unsure, other, sure]) == [sure, other]


def test_findings_are_in_the_order_of_their_places() -> None:
    def found(row: int) -> Finding:
        return fakes.finding_at(Place("a.py", row, 1, row, 2))

    assert unique([found(10), found(9), found(1)]) == [found(1), found(9), found(10)]


def test_a_file_that_cannot_be_read_is_a_trouble_with_a_remedy(tmp_path: Path) -> None:
    checked = checker().file(tmp_path)
    assert checked.trouble == f"{tmp_path}: cannot be read (Is a directory); name a regular file"


def test_a_file_of_50000_lines_is_checked() -> None:
    data = b"import torch\n" + b"x = torch.ones(3)\n" * 50_000 + b"bad()\n"
    assert rows(checker().data(data, "a.py")) == [50_002]


def test_a_notebook_of_many_cells_is_checked() -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "x = torch.ones(3)"}
    first, last = ({**cell, "source": text} for text in ("import torch", "bad()"))
    notebook = {"cells": [first, *[cell] * 20_000, last], "metadata": {}, "nbformat": 4}
    found = checker().data(json.dumps(notebook).encode(), "a.ipynb").findings
    assert [finding.cell for finding in found] == [20_002]


def test_a_long_comment_that_silences_takes_no_time() -> None:
    comment = b"# noqa: " + b"AG999," * 300_000
    data = b"import torch\nx = torch.ones(3)  " + comment + b"\nbad()\n"
    assert rows(checker().data(data, "a.py")) == [3]
