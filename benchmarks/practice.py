"""Silent pitfalls as they occur: `python -m benchmarks.practice docs/rules/practice.md`.

`practice.jsonl` holds fixes and confirmed reports of public repositories that were read, a line
each: what was written there, which rule and which variant of `fixtures/variants` are about it, and
whether a program of that shape is told at default settings. `state` is what the thread was when it
was read: merged, closed or open.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.rules.base import Rule
from autograd_lint.rules.registry import all_rules
from benchmarks.variants import Variant, variants

CASES = Path(__file__).with_name("practice.jsonl")
FAMILIES = (
    "lost gradient",
    "wrong parameters",
    "stale gradients",
    "graphs kept",
    "grad mode",
    "NaN and infinity",
    "hooks",
    "checkpointing",
    "custom functions",
    "aliases",
    "training loops",
    "distributed",
)
LEAST = 10  # repositories a family


@dataclass(frozen=True, slots=True)
class Case:
    """A fix or a report that was read."""

    family: str
    repository: str
    thread: int
    state: str
    shape: str
    rule: str | None
    variant: str | None
    told: bool


def cases(path: Path = CASES) -> list[Case]:
    """All cases, in the order of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Case(**json.loads(line)) for line in lines]


def problems(read: Sequence[Case], known: Sequence[Variant], rules: Sequence[Rule]) -> list[str]:
    """What is wrong with the file: a family with few repositories, a name that nothing bears."""
    titles = {(one.rule.code, one.title) for one in known}
    codes = {rule.code for rule in rules}
    found = [
        f"{family}: {count} repositories"
        for family in FAMILIES
        if (count := len({one.repository for one in read if one.family == family})) < LEAST
    ]
    for one in read:
        where = f"{one.repository} {one.thread}"
        if one.family not in FAMILIES:
            found.append(f"{where}: no family {one.family}")
        if one.rule is not None and one.rule not in codes:
            found.append(f"{where}: no rule {one.rule}")
        if one.variant is not None and (one.rule, one.variant) not in titles:
            found.append(f"{where}: no variant {one.variant}")
    return found


def page(read: Sequence[Case], rules: Sequence[Rule]) -> str:
    """The page with all families."""
    names = {rule.code: rule.name for rule in rules}
    told = sum(one.told for one in read)
    head = [
        "# Practice",
        "",
        "Silent pitfalls as they really occur: fixes and reports of public repositories that were "
        "read, and what they share. What stands here more than once was found more than once. "
        "*Told* says whether a program of that shape is told at default settings.",
        "",
        f"{len(read)} were read, of {len({one.repository for one in read})} repositories; "
        f"{told} of their shapes are told.",
    ]
    return "\n".join(
        [*head, *(line for family in FAMILIES for line in _family(family, read, names))]
    )


def _family(family: str, read: Sequence[Case], names: dict[str, str]) -> list[str]:
    own = [one for one in read if one.family == family]
    told = sum(one.told for one in own)
    return [
        "",
        f"## {family[0].upper()}{family[1:]}",
        "",
        f"{len(own)} were read, {told} are told.",
        "",
        "| shape | rule | variant | told |",
        "| --- | --- | --- | --- |",
        *(_row(one, names) for one in own),
    ]


def _row(one: Case, names: dict[str, str]) -> str:
    link = f"[{one.rule}]({names[one.rule]}.md)" if one.rule is not None else ""
    return f"| {one.shape} | {link} | {one.variant or ''} | {'yes' if one.told else 'no'} |"


def main(target: Path) -> None:
    """Check the file, and write the page."""
    read, rules = cases(), all_rules()
    found = problems(read, variants(), rules)
    if found:
        raise SystemExit("\n".join(found))
    target.write_text(page(read, rules) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
