"""Writes the rules' pages: `python -m autograd_lint.rules.pages docs/rules`."""

import sys
from pathlib import Path

from autograd_lint.report.described import Described
from autograd_lint.rules import precision
from autograd_lint.rules.base import Rule
from autograd_lint.rules.registry import all_rules

VARIANTS = "variants.md"  # is written by `benchmarks.variants`
PRACTICE = "practice.md"  # is written by `benchmarks.practice`


def pages() -> dict[str, str]:
    """The name and the text of every page, the index among them."""
    written = {f"{rule.name}.md": page(rule) for rule in all_rules()}
    return {"index.md": index(), **written}


def page(rule: Rule) -> str:
    """One rule's page in Markdown, with how often it was right."""
    text = f"# {rule.name} ({rule.code})\n\n{_with_outcomes(rule.page())}\n"
    if not rule.on_by_default:
        text += f"\nThis rule is off by default: `--extend-select {rule.code}` switches it on.\n"
    return f"{text}\n## Reviewed precision\n\n{precision.told(rule.code)}"


def _with_outcomes(text: str) -> str:
    """A page that says which assertions of its example, and of its correction, fail."""
    for heading, outcome in (("Example", "fails"), ("Use instead", "holds")):
        before, _, rest = text.partition(f"## {heading}\n\n```python\n")
        code, fence, after = rest.partition("```\n")
        if "assert " in code:
            said = f"The assertion {outcome}.\n"
            text = f"{before}## {heading}\n\n```python\n{code}{fence}\n{said}{after}"
    return text


def described() -> list[Described]:
    """All rules as reports for other programs describe them."""
    return [
        Described(
            rule.code,
            rule.name,
            rule.summary(),
            rule.page(),
            rule.severity,
            precision.share_right(rule.code),
        )
        for rule in all_rules()
    ]


def index() -> str:
    """The table of all rules in Markdown."""
    rows = [
        f"| {rule.code} | [{rule.name}]({rule.name}.md) | {rule.summary()} |"
        for rule in all_rules()
    ]
    head = ["# Rules", "", "| code | name | what it finds |", "| --- | --- | --- |"]
    foot = (
        f"[Variants]({VARIANTS}) lists the forms of each, [practice]({PRACTICE}) the shapes in "
        "which fixes of public repositories have found them."
    )
    return "\n".join([*head, *rows, "", foot]) + "\n"


def main(folder: Path) -> None:
    """Write all pages into `folder`, and remove those of rules that are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for old in folder.glob("*.md"):
        if old.name not in wanted and old.name not in (VARIANTS, PRACTICE):
            old.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
