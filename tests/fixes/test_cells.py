"""Notebooks edited: nothing changes but the source of the edited cells."""

import json

import pytest

from autograd_lint.findings import Edit
from autograd_lint.fixes.cells import Cells
from autograd_lint.places import Place

OUTPUT = '{"output_type": "stream", "text": ["1.50e3\\n"],   "name":"stdout"}'
NOTEBOOK = """\
{
 "cells": [
  {"cell_type": "markdown", "source": ["# \\u00e9 bad()"]},
  {
   "cell_type": "code", "execution_count": 3, "outputs": [OUTPUT],
   "metadata": {"tags": [ ]},
   "source": [
    "x = '\\u00e9'\\n",
    "bad()  # why\\n",
    "y = 1"
   ]
  },
  {"cell_type": "code", "source": "bad()\\n%%time"}
 ],
 "metadata": {"a": 1.0},
 "nbformat": 4, "nbformat_minor": 5
}
""".replace("OUTPUT", OUTPUT)


def edit(cell: int, row: int, column: int, end: int, content: str) -> Edit:
    return Edit(content, Place(f"a.ipynb:cell {cell}", row, column, row, end))


def edited(*edits: Edit, text: str = NOTEBOOK) -> str:
    return Cells.of(text.encode(), "a.ipynb").edited(edits).encoded().decode()


def test_no_byte_changes_but_the_edited_lines() -> None:
    changed = edited(edit(2, 2, 1, 6, "good()"))
    assert changed == NOTEBOOK.replace('"bad()  # why', '"good()  # why')


def test_lines_are_added_in_the_layout_of_the_others() -> None:
    changed = edited(edit(2, 2, 1, 1, "new('é')\n"))
    expected = '    "new(\'\\u00e9\')\\n",\n    "bad()  # why'
    assert changed == NOTEBOOK.replace('    "bad()  # why', expected)


def test_a_source_that_is_one_string_stays_one() -> None:
    assert edited(edit(3, 1, 1, 6, "good()")) == NOTEBOOK.replace('"bad()\\n%', '"good()\\n%')


def test_several_cells_are_edited_at_once() -> None:
    changed = json.loads(edited(edit(3, 1, 1, 6, "one()"), edit(2, 2, 1, 6, "two()")))
    assert changed["cells"][2]["source"].startswith("one()")
    assert changed["cells"][1]["source"][1] == "two()  # why\n"


def test_a_cell_may_become_empty() -> None:
    text = '{"cells": [{"cell_type": "code", "source": ["x"]}]}'
    assert json.loads(edited(edit(1, 1, 1, 2, ""), text=text))["cells"][0]["source"] == []


@pytest.mark.parametrize("source", ["", ',"source": []', ',"source": ""'])
def test_cells_without_a_line_are_counted(source: str) -> None:
    text = (
        '{"cells": [{"cell_type": "code"SOURCE}, {"cell_type": "code", "source": ["bad()"]}]}'
    ).replace("SOURCE", source)
    assert edited(edit(2, 1, 1, 4, "good"), text=text) == text.replace("bad", "good")


def test_edits_of_different_cells_do_not_overlap() -> None:
    cells = Cells.of(NOTEBOOK.encode(), "a.ipynb")
    assert not cells.overlap([edit(2, 1, 1, 3, "")], [edit(3, 1, 1, 3, "")])
    assert cells.overlap([edit(2, 1, 1, 3, "")], [edit(2, 1, 2, 3, "")])


def test_a_place_moves_with_its_own_cell() -> None:
    cells = Cells.of(NOTEBOOK.encode(), "a.ipynb")
    place = Place("a.ipynb:cell 2", 3, 1, 3, 2)
    edits = [edit(2, 1, 1, 1, "new\n"), edit(3, 1, 1, 1, "new\n")]
    assert cells.moved(place, edits) == Place("a.ipynb:cell 2", 4, 1, 4, 2)
