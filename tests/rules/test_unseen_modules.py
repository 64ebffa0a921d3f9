"""Mistakes in training with modules and optimizers whose classes are not seen."""

import re
from pathlib import Path

import pytest
from benchmarks.variants import findings

from autograd_lint.levels import Certainty

PAGE = Path(__file__).parents[2] / "fixtures" / "unseen" / "training.md"
_BLOCK = re.compile(r"```python(?: (bad|good))?\n(.*?)```", re.DOTALL)
_HEADING = re.compile(r"^## (AG\d+): (.+)\n", re.MULTILINE)


def _programs() -> list[tuple[str, str, str, str]]:
    """The code of the rule, the title, the wrong program and the correct one of each heading."""
    head, *rest = _HEADING.split(PAGE.read_text(encoding="utf-8"))
    common = "".join(text for _, text in _BLOCK.findall(head))
    found = []
    for code, title, body in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        sides = {side: f"{common}\n\n{text}" for side, text in _BLOCK.findall(body)}
        found.append((code, title, sides["bad"], sides["good"]))
    return found


@pytest.mark.parametrize(("code", "title", "bad", "good"), _programs())
def test_a_mistake_is_told_though_the_modules_are_not_seen(
    code: str, title: str, bad: str, good: str
) -> None:
    assert code in {one.code for one in findings(bad, Certainty.POSSIBLE)}, title
    assert not findings(good, Certainty.LIKELY), title
