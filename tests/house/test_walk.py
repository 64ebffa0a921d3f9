"""The way of one finding that docs/architecture.md tells leads through functions that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| `([\w/]+\.py): ([\w.]+)` \|", TEXT, re.MULTILINE)


def defined(body: list[ast.stmt], dotted: str) -> bool:
    """Whether a body defines a function, or a class with that method."""
    name, _, inner = dotted.partition(".")
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = next((one for one in body if isinstance(one, kinds) and one.name == name), None)
    return found is not None and (not inner or defined(found.body, inner))


def test_the_way_has_steps() -> None:
    assert len(STEPS) > 10


@pytest.mark.parametrize(("file", "function"), STEPS)
def test_a_step_is_a_function(file: str, function: str) -> None:
    tree = ast.parse((ROOT / "src" / "autograd_lint" / file).read_text(encoding="utf-8"))
    assert defined(tree.body, function)
