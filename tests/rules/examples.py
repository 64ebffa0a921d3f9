"""The python blocks of a rule's page."""

import re

from autograd_lint.rules.base import Rule

HEADINGS = (
    "What it does",
    "Why it is bad",
    "Example",
    "Use instead",
    "Fix safety",
    "References",
)


def sections(rule: Rule) -> dict[str, str]:
    """The sections of a page by heading, in their order."""
    parts = re.split(r"^## (.+)\n", rule.page(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


def code(rule: Rule, heading: str) -> str:
    """The one python block under a heading."""
    (block,) = re.findall(r"```python\n(.*?)```", sections(rule)[heading], re.DOTALL)
    return block
