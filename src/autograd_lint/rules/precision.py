"""How often each rule was right: findings over real code that were read one by one.

The counts stand in `precision.json`, for one material after the other: `material` says what was
linted, `rules` maps a code to how many of its findings were `read` and how many of those were
`right`.
"""

import json
from pathlib import Path
from typing import Any

from autograd_lint.immutable import immutable

PATH = Path(__file__).with_name("precision.json")


@immutable
class Counted:
    """The findings of a rule that were read, and how many of them were right."""

    read: int
    right: int


@immutable
class Precision:
    """What was linted, and the counts by code."""

    material: str
    rules: dict[str, Counted]

    def sentence(self, code: str) -> str | None:
        """A rule's precision in words; None where it was not counted."""
        counted = self.rules.get(code)
        if counted is None:
            return None
        if not counted.read:
            return f"No findings in {self.material}."
        share = counted.right / counted.read
        return f"{counted.right} of {counted.read} right ({share:.0%}) in {self.material}."


def load() -> list[Precision]:
    """The counts that come with the package."""
    return [_counted(one) for one in json.loads(PATH.read_text(encoding="utf-8"))]


def told(code: str) -> str:
    """A rule's precision in words, for each material that it was counted in; it may be empty."""
    sentences = filter(None, (one.sentence(code) for one in load()))
    return "\n".join(f"- {sentence}" for sentence in sentences)


def share_right(code: str) -> float | None:
    """How many of the findings of a rule that were read were right, from 0 to 1, over all
    materials; None where none was read."""
    counted = [one.rules[code] for one in load() if code in one.rules]
    read = sum(one.read for one in counted)
    return sum(one.right for one in counted) / read if read else None


def _counted(data: dict[str, Any]) -> Precision:
    rules = {code: Counted(**counts) for code, counts in data["rules"].items()}
    return Precision(data["material"], rules)
