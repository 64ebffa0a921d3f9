"""The variants of what each rule is about: `python -m benchmarks.variants docs/rules/variants.md`.

`fixtures/variants` holds a page for each rule. A heading begins a variant, with a program in which
it goes wrong and one in which it does not; a block before the first heading is common to all of
the page. The line to change ends in `# cause`.
"""

from __future__ import annotations

import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from autograd_lint import Finding, check
from autograd_lint.evidence.judging import shown_from
from autograd_lint.levels import Certainty
from autograd_lint.rules.base import Rule
from autograd_lint.rules.registry import all_rules

FOLDER = Path(__file__).parents[1] / "fixtures" / "variants"
_BLOCK = re.compile(r"```python(?: (bad|good))?\n(.*?)```", re.DOTALL)
_HEADING = re.compile(r"^## (.+)\n", re.MULTILINE)
_RARE = " (possible)"  # after the name of a variant that is shown with `--certainty possible`
SAID = 70  # letters of an error's message in the table


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which what a rule is about occurs: a wrong program and a correct one."""

    rule: Rule
    title: str
    bad: str
    good: str
    least: Certainty

    def __str__(self) -> str:
        return f"{self.rule.name}: {self.title}"

    @property
    def causes(self) -> set[int]:
        """The rows of the wrong program that are to be changed."""
        lines = self.bad.splitlines()
        return {row for row, line in enumerate(lines, 1) if line.endswith("# cause")}


def variants(folder: Path = FOLDER) -> list[Variant]:
    """All variants, rule by rule."""
    pages = ((rule, folder / f"{rule.name}.md") for rule in all_rules())
    return [one for rule, path in pages if path.exists() for one in _on_page(rule, path)]


def _on_page(rule: Rule, path: Path) -> list[Variant]:
    head, *rest = _HEADING.split(path.read_text(encoding="utf-8"))
    common = "".join(text for _, text in _BLOCK.findall(head))
    found = []
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        sides = {side: common + text for side, text in _BLOCK.findall(body)}
        title, rare = title.removesuffix(_RARE), title.endswith(_RARE)
        least = Certainty.POSSIBLE if rare else shown_from(rule.code, rule.assumes)
        found.append(Variant(rule, title, sides["bad"], sides["good"], least))
    return found


def run(program: str) -> Exception | None:
    """What a program raises on the real engine."""
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings(action="ignore"), torch.enable_grad():
            exec(compile(program, "program.py", "exec"), {"__name__": "program"})
    except Exception as error:
        return error
    return None


def findings(program: str, least: Certainty = Certainty.LIKELY) -> list[Finding]:
    """What the tool tells of a program, by default when it is not asked for more."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(program, encoding="utf-8")
        return check(path, isolated=True, cache=False, certainty=least.value)


def told(variant: Variant) -> list[Finding]:
    """The findings of the variant's rule that name the line to change."""
    found = findings(variant.bad, variant.least)
    own = (one for one in found if one.code == variant.rule.code)
    return [one for one in own if _rows(one) & variant.causes]


def _rows(finding: Finding) -> set[int]:
    return {place.row for place in (finding.place, *(one.place for one in finding.related))}


def table() -> str:
    """The page with all variants."""
    head = [
        "# Variants",
        "",
        "What each rule is about occurs in many forms. Each has a wrong program, told at the line "
        "to change, and a correct one, of which nothing is told. The real engine ran them all. "
        "Where *possible* stands, findings of the rule or of this form were often wrong, and are "
        "shown with `--certainty possible`.",
        "",
        "| rule | variant | the wrong program | the correct one |",
        "| --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *map(_row, variants())]) + "\n"


def _row(variant: Variant) -> str:
    error = run(variant.bad)
    said = " ".join(str(error).split()).replace("|", "\\|")
    kind = "its assertion fails" if isinstance(error, AssertionError) else type(error).__name__
    verdict = f"{kind}: {said[:SAID]}" if said else kind
    verdict += " (*possible*)" if variant.least is Certainty.POSSIBLE else ""
    correct = "runs" if run(variant.good) is None else "fails"
    link = f"[{variant.rule.code}]({variant.rule.name}.md)"
    return f"| {link} | {variant.title} | {verdict} | {correct} |"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(table(), encoding="utf-8")
