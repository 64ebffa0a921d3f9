"""Exceptions of running programs: in Python, in a notebook."""

import sys
from pathlib import Path

import pytest

import autograd_lint
from autograd_lint.plugins import notebook

PROGRAM = "import torch\n\nw = torch.ones(3, requires_grad=True)\n\n\ndef f():\n    w.add_(1)\n"


def raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exception:
    """The error of a program of one file."""
    (tmp_path / "updates.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(str(tmp_path))
    import updates  # type: ignore[import-not-found]

    with pytest.raises(RuntimeError) as caught:
        updates.f()
    sys.modules.pop("updates")
    return caught.value


def test_an_exception_is_diagnosed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = raised(tmp_path, monkeypatch)
    found = autograd_lint.diagnose(error, [tmp_path])
    assert [(one.code, one.place.row) for one in found] == [("AG101", 7)]


def test_a_text_that_is_not_of_autograd_finds_nothing(tmp_path: Path) -> None:
    assert autograd_lint.diagnose("KeyError: 3", [tmp_path]) == []


class Shell:
    """What IPython's shell is asked for."""

    def __init__(self, *cells: str) -> None:
        self.user_ns: dict[str, object] = {"In": ["", *cells]}
        self.magics: dict[str, object] = {}

    def register_magic_function(self, function: object, kind: str, name: str) -> None:
        self.magics[f"{kind} {name}"] = function


def test_the_extension_makes_the_magic_known() -> None:
    shell = Shell()
    autograd_lint.load_ipython_extension(shell)  # type: ignore[arg-type]
    assert "line autograd_diagnose" in shell.magics


def test_the_cells_that_were_run_are_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [
        "",
        "import torch\nx = torch.randn(3, requires_grad=True)",
        "h = x.exp()\nh += 1",
        "h.sum().backward()",
    ]
    names: dict[str, object] = {}
    with pytest.raises(RuntimeError) as caught:
        for number, cell in enumerate(cells):
            exec(compile(cell, f"/tmp/ipykernel_7/{number}.py", "exec"), names)
    told = notebook.diagnosed(caught.value, [*cells, "%autograd_diagnose"])
    assert "AG103" in told
    assert "h += 1" in told
    assert list(tmp_path.iterdir()) == []


def test_before_any_error_the_magic_says_so() -> None:
    assert "no cell has raised" in notebook.diagnosed(None, [""])
