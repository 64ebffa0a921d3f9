"""The page on the architecture follows one finding through the code as it is."""

import re
import sys
from pathlib import Path
from types import FrameType

from click.testing import CliRunner

import autograd_lint
from autograd_lint.cli import app

PACKAGE = Path(autograd_lint.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## One finding, from bytes to report")[2].partition("\n## ")[0]


def _calls(program: Path) -> list[tuple[str, str]]:
    """The calls of functions of the package that `check` makes, by file and name."""
    called: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            called.append((Path(code.co_filename).relative_to(PACKAGE).as_posix(), code.co_name))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        result = CliRunner().invoke(app, ["check", "--no-cache", str(program)])
    finally:
        sys.setprofile(before)
    assert "AG103" in result.output
    return called


def test_the_page_names_the_functions_that_a_finding_passes_in_their_order(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(SECTION.partition("```python\n")[2].partition("```")[0])
    told = re.findall(r"^\| `([\w/]+\.py): (?:\w+\.)?(\w+)`", SECTION, re.MULTILINE)
    assert len(told) > 10
    calls = iter(_calls(program))
    assert [one for one in told if one not in calls] == []  # each is looked for behind the last
