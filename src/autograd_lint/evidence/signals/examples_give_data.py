"""All examples of a project give a function what was computed without grad mode.

>>> with torch.no_grad():
...     y = net(x)
>>> smoothed(y)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Owner, without_grad
from autograd_lint.project.code import called_name, given_to
from autograd_lint.project.modules import Project

_SELDOM_NAMED = {"forward", "__call__", "__init__"}  # called, but not by that name


def _speaks(case: Case) -> bool:
    return case.needs_given and _shown_with_data(case.owner, case.project)


def _shown_with_data(owner: Owner, project: Project) -> bool:
    """Whether all examples that call a function give it what was computed without grad mode."""
    if owner.function is None or owner.function.name in _SELDOM_NAMED:
        return False
    shown = [
        is_plain
        for example in project.examples(owner.name)
        for is_plain in _calls(example, owner.name)
    ]
    return bool(shown) and all(shown)


def _calls(example: ast.Module, name: str) -> Iterator[bool]:
    """For each call of a function in an example, whether it is given such values."""
    plain = {
        part.id
        for block in ast.walk(example)
        if without_grad(block)
        for part in ast.walk(block)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    for node in ast.walk(example):
        if isinstance(node, ast.Call) and name == called_name(node):
            given = (one for one in given_to(node) if isinstance(one, ast.Name))
            yield any(one.id in plain for one in given)


SIGNAL = Signal("examples-give-data", _speaks, data=True)
