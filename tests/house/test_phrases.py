"""What users read is in the field's English: phrases that were replaced do not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "autograd_lint"
# The rooms whose strings are shown to users: messages, helps, assumptions, options, keys.
SHOWN = ("rules", "evidence", "cli", "configuration", "project", "diagnosis", "report", "fixes")
REPLACED = (
    "is no leaf",
    "goes on (computing|stepping|using)",
    "go on (computing|stepping|using)",
    "rounds? (of|later|before|after)|(each|every|last|next|earlier|later|one) round\\b",
    "mends?\\b|mended",
    "lay(s)? (aside|its result)|laid aside",
    "come(s)? by\\b",
    "gets to nothing",
    "in vain",
    "without a word",
    "leaves? `[^`]+` out",
    "as far as no rule",
    "and (its|their) like",
    "begins to have an effect",
    "no optimizer has the parameters",
    "what is set here",
    "asked for here",
    "does not know of",
    "passed on and dropped",
    "of every round",
    "whoever",
    "again and again",
    "the call is made so",
    "has that machine as",
    "findings that were read in",
)
PATTERN = re.compile("|".join(f"\\b(?:{one})" for one in REPLACED))


def shown(path: Path) -> Iterator[str]:
    """The strings of a file that are not documentation for developers; of rules, their pages."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    pages = () if path.parent.name == "rules" else (ast.ClassDef,)
    documented = (ast.Module, ast.FunctionDef, *pages)
    bodies = [one.body for one in ast.walk(tree) if isinstance(one, documented) and one.body]
    hidden = {id(one) for body in bodies for one in ast.walk(body[0])}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in hidden
        ):
            yield node.value


def replaced(text: str) -> list[str]:
    """The phrases of a text that are to be said otherwise."""
    words = " ".join(re.sub("```.*?```", "", text, flags=re.DOTALL).split())
    return [words[max(0, one.start() - 30) : one.end() + 30] for one in PATTERN.finditer(words)]


@pytest.mark.parametrize("room", SHOWN)
def test_messages_helps_and_options_are_in_plain_english(room: str) -> None:
    texts = [text for path in (PACKAGE / room).rglob("*.py") for text in shown(path)]
    assert len(texts) > 3
    assert [found for text in texts for found in replaced(text)] == []


def test_pages_are_in_plain_english() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), ROOT / "action.yml"]
    pages += [ROOT / ".pre-commit-hooks.yaml", *(ROOT / "editors").glob("*.md")]
    pages += [*(ROOT / "editors" / "vscode").glob("*.md"), ROOT / "editors/vscode/package.json"]
    found = {str(page): replaced(page.read_text(encoding="utf-8")) for page in pages}
    assert {page: phrases for page, phrases in found.items() if phrases} == {}
