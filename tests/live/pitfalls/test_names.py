"""Variables of the program that lead to tensors."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from autograd_lint.live.pitfalls.names import named_tensors
from autograd_lint.live.sites import Sites


def _module(monkeypatch: pytest.MonkeyPatch, file: str | None) -> ModuleType:
    module = ModuleType("state")
    module.__file__ = file
    monkeypatch.setitem(sys.modules, "state", module)
    return module


def _names() -> list[str]:
    return [name for name, _ in named_tensors(Sites())]


def test_a_tensor_in_a_module_of_the_program_has_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = _module(monkeypatch, str(tmp_path / "state.py"))
    state.hidden = torch.zeros(2)  # type: ignore[attr-defined]

    assert "state.hidden" in _names()


@pytest.mark.parametrize("file", [torch.__file__, None])
def test_modules_of_libraries_are_not_looked_through(
    monkeypatch: pytest.MonkeyPatch, file: str | None
) -> None:
    state = _module(monkeypatch, file)
    state.hidden = torch.zeros(2)  # type: ignore[attr-defined]

    assert "state.hidden" not in _names()


def test_nor_are_those_that_a_module_of_the_program_has_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = _module(monkeypatch, str(tmp_path / "state.py"))
    library = ModuleType("library")
    library.__file__ = torch.__file__
    library.hidden = torch.zeros(2)  # type: ignore[attr-defined]
    state.library = library  # type: ignore[attr-defined]

    assert "state.library.hidden" not in _names()
