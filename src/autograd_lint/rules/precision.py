"""How often each rule was right: findings in public code that were read one by one.

`precision.json` is written by `python -m benchmarks.labels fit`. It maps the code of a rule to the
halves of the code bases, each to how sure its findings are told there today, and that to how many
of them were right, pedantic and wrong, where several of one cause in a code base count once.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from autograd_lint.immutable import immutable

PATH = Path(__file__).with_name("precision.json")
LEVELS = ("certain", "likely", "possible")
HALVES = {"fitting": "improved on", "reporting": "kept apart"}
_HEAD = (
    "| certainty | code bases | right | pedantic | wrong |",
    "| --- | --- | --- | --- | --- |",
)
_NONE_READ = "No finding of this rule in public code was read."
_READ = """\
Findings in public code that somebody has read, as they are told today; several of one cause in a
code base count once. What is *pedantic* is true and harmless there. Of some code bases the tool was
improved on what was wrong, others are kept apart.
"""


@immutable
class Counted:
    """How many findings of a rule were read at one certainty in one half of the code bases: those
    that were right, those that were true and harmless, and those that were wrong."""

    half: str
    certainty: str
    right: int
    pedantic: int
    wrong: int

    @property
    def read(self) -> int:
        return self.right + self.pedantic + self.wrong

    def row(self) -> str:
        """A row of the table in Markdown."""
        cells = (self.certainty, HALVES[self.half], self.right, self.pedantic, self.wrong)
        return f"| {' | '.join(map(str, cells))} |"


def told(code: str) -> str:
    """A rule's precision as a table in Markdown, or the sentence that nothing was read."""
    rows = [one.row() for one in counts_of(code)]
    if not rows:
        return f"{_NONE_READ}\n"
    return "\n".join([_READ, *_HEAD, *rows]) + "\n"


def share_right(code: str) -> float | None:
    """How many of the findings of a rule that are told by default were right, from 0 to 1; None
    where none was read."""
    shown = [one for one in counts_of(code) if one.certainty != "possible"]
    read = sum(one.read for one in shown)
    return sum(one.right for one in shown) / read if read else None


def counts_of(code: str) -> Iterator[Counted]:
    """What was counted of a rule, the surest first."""
    by_half = load().get(code, {})
    for level in LEVELS:
        for half in HALVES:
            counts = by_half.get(half, {}).get(level)
            if counts is not None:
                yield Counted(half, level, *counts)


@cache
def load() -> dict[str, dict[str, dict[str, list[int]]]]:
    """The counts that come with the package: by code, half and certainty."""
    found: dict[str, dict[str, dict[str, list[int]]]] = json.loads(PATH.read_text(encoding="utf-8"))
    return found
