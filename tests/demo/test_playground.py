"""The page that checks in the browser: its script finds its parts, and its program is wrong."""

import re
from pathlib import Path

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.project.source import Source

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "playground.md").read_text(encoding="utf-8")
SCRIPT = (DOCS / "playground.js").read_text(encoding="utf-8")


def test_the_script_finds_its_parts_in_the_page() -> None:
    asked = set(re.findall(r'part\("(\w+)"\)', SCRIPT))
    assert asked == set(re.findall(r'id="playground-(\w+)"', PAGE))


def test_the_program_that_stands_there_has_a_finding() -> None:
    program = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", PAGE, re.DOTALL)
    assert program is not None
    found = check_source(Source("program.py", program[1]), Settings())
    assert [finding.code for finding in found] == ["AG103"]


def test_what_the_worker_calls_is_python() -> None:
    source = re.search(r"runPython\(\\`\n(.*?)\\`\)", SCRIPT, re.DOTALL)
    assert source is not None
    namespace: dict[str, object] = {}
    exec(compile(source[1], "playground.js", "exec"), namespace)
    assert callable(namespace["check"])
