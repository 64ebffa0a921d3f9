"""`%%autograd_trace`: a cell under the tracer, its report shown below it."""

import linecache
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import autograd_lint
from autograd_lint.plugins.notebook import load, traced


class Shell:
    """As much of IPython's shell as the magic asks for."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        self.magics[name] = kind, function

    def run_cell(self, cell: str) -> Any:
        name = "<ipython-input-1-0123456789ab>"
        linecache.cache[name] = len(cell), None, cell.splitlines(keepends=True), name
        try:
            exec(compile(cell, name, "exec"), self.user_ns)
        except Exception as error:
            return SimpleNamespace(error_in_exec=error)
        return SimpleNamespace(error_in_exec=None)


CELL = "import torch\nw = torch.ones(3, requires_grad=True)\nw += 1\n"


def test_the_report_of_a_cell_names_its_lines() -> None:
    report: Any = traced(Shell(), "", CELL)
    (found,) = report.findings
    assert (found.code, found.place.row) == ("AG101", 3)
    assert "AG101" in report._repr_html_()


def test_a_shell_without_pages_shows_the_report_as_text() -> None:
    report: Any = traced(Shell(), "", CELL)
    shown: list[str] = []
    report._repr_pretty_(SimpleNamespace(text=shown.append), False)
    assert shown[0].startswith("error[AG101] leaf-modified: `w` is a leaf")


def test_the_extension_makes_it_known() -> None:
    shell = Shell()
    load(shell)
    kind, magic = shell.magics["autograd_trace"]
    assert kind == "cell"
    assert magic("-1", "import torch").findings == ()


def test_the_documented_lines_work_in_a_notebook() -> None:
    """In IPython itself, where it is installed."""
    page = (Path(__file__).parents[2] / "docs" / "live.md").read_text(encoding="utf-8")
    load_line, name = re.findall(r"`%(load_ext \w+)`.*?`%%(\w+)`", page, re.DOTALL)[0]
    shell: Any = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shell.run_line_magic(*load_line.split())
    report = shell.run_cell_magic(name, "", CELL)
    assert [one.code for one in report.findings] == ["AG101"]


def test_another_line_is_refused() -> None:
    with pytest.raises(autograd_lint.Trouble, match="give a number of calls"):
        traced(Shell(), "many", CELL)
