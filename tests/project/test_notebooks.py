"""Notebooks as sources, and findings in their cells."""

import json

import pytest
from tests import fakes

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Finding, Prediction, Related
from autograd_lint.levels import Certainty
from autograd_lint.places import Place
from autograd_lint.project import cells, notebooks
from autograd_lint.project.modules import Project


def notebook(*cells: str, language: str = "python") -> bytes:
    """A notebook whose cells are code, but for those that start with `#md`."""
    made = [
        {"cell_type": "markdown" if text.startswith("#md") else "code", "source": text}
        for text in cells
    ]
    metadata = {"language_info": {"name": language}}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4}).encode()


def check(data: bytes) -> Checked:
    return Checker(Settings(), Project.alone(), fakes.machinery()).data(data, "a.ipynb")


def only(checked: Checked) -> Finding:
    (finding,) = checked.findings
    return finding


def test_a_finding_is_in_its_cell_which_counts_all_cells() -> None:
    finding = only(check(notebook("import torch", "#md text", "x = 1\nbad()", "y = 1")))
    assert finding.place == Place("a.ipynb:cell 3", 2, 1, 2, 6)
    assert (finding.cell, finding.noqa_row) == (3, 2)


def test_sources_may_be_lists_of_lines() -> None:
    cell = {"cell_type": "code", "source": ["import torch\n", "bad()"]}
    assert only(check(json.dumps({"cells": [cell]}).encode())).place.row == 2


@pytest.mark.parametrize("source", [None, 1, True, {}])
def test_a_source_that_is_none_is_passed_over(source: object) -> None:
    cells = [
        {"cell_type": "code", "source": each} for each in (source, ["import torch\n", "bad()"])
    ]
    checked = check(json.dumps({"cells": cells}).encode())
    assert not checked.trouble
    assert [finding.cell for finding in checked.findings] == [2]


def test_comments_silence_in_cells() -> None:
    assert check(notebook("import torch", "bad()  # noqa")).suppressed == 1


@pytest.mark.parametrize(
    "magic",
    [
        "%matplotlib inline",
        "!pip install torch",
        "?torch",
        "torch.add?",
        "files = !ls",
        "%timeit f()",
        "!pip install \\\n    torch",
        "if True:\n    %time f()",
        "%%time\nx = 1",
        "x = (1\n % 2)",
        "await f()",
        "%matplotlib inline\nx = (1\n     % 2)",
        '%matplotlib inline\ns = """\n%s ! ?\n""" % 1',
        "%matplotlib inline\nx = f(a,  # why?\n      *b)",
        "if True:\n    !ls \\\n  -l\n    y = 1",
        "torch.add??  # what does it do",
        "files, = !ls",
        "a.b['c'] = %sql select 1",
        "/f 1",
        "%%timeit -n 10\nx = 1",
        "!echo 'it",
        "pip install torch",
        "ls = 1\nls /tmp",
        "    x = 1\n    y = 2",
        ">>> x = [\n...     1]\n>>> y = 2",
        "In [3]: x = 1",
        "\n  %time f()\n  g()",
    ],
)
def test_magics_are_passed_over(magic: str) -> None:
    finding = only(check(notebook("import torch", magic, "bad()")))
    assert finding.place.filename == "a.ipynb:cell 3"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("  x = 1\n  bad()", 3),
        (">>> x = 1\n>>> bad()", 5),
        ("%matplotlib inline\n%time bad()", 7),
        ("%%autograd_trace -1\nbad()", 1),
        ("%matplotlib inline\n%timeit -n 10 -r 3 bad()", 20),
    ],
)
def test_findings_stand_at_their_place_in_the_cell(text: str, column: int) -> None:
    finding = only(check(notebook("import torch", text)))
    assert str(finding.place) == f"a.ipynb:cell 2:2:{column}"


def test_a_cell_that_cannot_be_parsed_silences_itself_only() -> None:
    data = notebook("import torch\nbad()", "x = = 1\nbad()", "bad()")
    found = [(one.code, one.cell, one.place.row) for one in check(data).findings]
    assert found == [("AG101", 1, 2), ("AG901", 2, 1), ("AG101", 3, 1)]


def test_cells_of_other_languages_are_passed_over() -> None:
    assert only(check(notebook("import torch", "%%bash\nls -l\nbad()", "bad()"))).cell == 3


def test_notebooks_of_other_languages_are_passed_over() -> None:
    assert check(notebook("library(torch)\nbad()", language="R")) == Checked("a.ipynb")


def test_a_cell_that_cannot_be_parsed_is_named() -> None:
    finding = only(check(notebook("import torch", "x = 1\ny = = 2")))
    assert (finding.code, finding.cell, finding.place.row) == ("AG901", 2, 2)


@pytest.mark.parametrize(
    "data", [b"torch", b'["torch"]', b'{"torch": 1}', b'{"cells": 1, "torch": 2}', b"\xff torch"]
)
def test_what_is_no_notebook_is_a_finding(data: bytes) -> None:
    assert only(check(data)).code == "AG901"


def test_all_places_of_a_finding_are_moved() -> None:
    read = notebooks.read(notebook("a = 1\nb = 2", "c = 3", "d = 4"), "a.ipynb")
    places = [Place("a.ipynb", row, 1, row, 2) for row in (1, 2, 3, 4)]
    finding = fakes.finding_at(
        places[2],
        related=(Related("saved", "", places[1]), Related("saved", "", Place("b.py", 4, 1, 4, 2))),
        predicts=Prediction("graph-freed", "a.ipynb", 4),
    )
    moved = read.moved(finding)
    assert str(moved.place) == "a.ipynb:cell 2:1:1"
    assert [str(other.place) for other in moved.related] == ["a.ipynb:cell 1:2:1", "b.py:4:1"]
    assert moved.predicts == Prediction("graph-freed", "a.ipynb:cell 3", 1)


def test_names_of_cells() -> None:
    assert cells.file_of("/x/a.ipynb:cell 12") == "/x/a.ipynb"
    assert cells.cell_of("/x/a.ipynb:cell 12") == 12
    assert (cells.file_of("a.py"), cells.cell_of("a.ipynb")) == ("a.py", None)


def test_the_last_lines_of_code_of_the_cells_are_known() -> None:
    book = notebooks.read(notebook("x = 1\nx\n\n# no code", "#md", "(y,\n z)"), "a.ipynb")
    assert book.ends == {2, 6}


def test_what_a_cell_ends_with_is_shown_and_not_dropped() -> None:
    cells = ("import torch\nx = torch.ones(3).abs_()\nx.abs()\nx + 1", "x.exp()  # shown")
    found = Checker(Settings(), Project.alone()).data(notebook(*cells), "a.ipynb").findings
    assert [(one.code, one.cell, one.place.row) for one in found] == [("AG409", 1, 3)]


SHOWN = ["step 1 of 9", "bash run.sh --all", "loss 0.5 done"]


@pytest.mark.parametrize(
    ("cells", "sure"),
    [(SHOWN[:1], True), (SHOWN, False), ([f"print {n}" for n in range(3)], True)],
)
def test_several_cells_that_are_no_python_are_shown_and_not_run(
    cells: list[str], sure: bool
) -> None:
    found = list(notebooks.read(notebook("import torch", *cells), "a.ipynb").broken)
    assert {one.certainty for one in found} == {Certainty.CERTAIN if sure else Certainty.POSSIBLE}
