"""Pages of the documentation as what a reader does with them: files to write, commands to run.

`python -m tests.demo.pages` writes what the commands print into the pages.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "index.md", DOCS / "models.md", *sorted((DOCS / "tutorials").glob("*.md")))
_BLOCK = re.compile(r"^```(python|toml|console)\n(.*?)```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (\S+\.(?:pyi?|toml))\n")


def followed(page: Path, folder: Path, said: Callable[[str, str], str]) -> str:
    """The page after everything on it was done in a folder; `said` makes of a block and of what its
    command has printed the block to put there."""

    def do(match: re.Match[str]) -> str:
        kind, text = match.groups()
        named = _FILE.match(text)
        if kind == "console":
            return f"```console\n{said(text, _printed(text, folder))}```"
        if named:
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return match[0]

    return _BLOCK.sub(do, page.read_text(encoding="utf-8"))


def _printed(block: str, folder: Path) -> str:
    """The command of a block, and what it prints on both streams."""
    line = block.partition("\n")[0]
    arguments = shlex.split(line.removeprefix("$ autograd-lint "))
    command = [sys.executable, "-m", "autograd_lint", *arguments]
    ran = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return f"{line}\n{ran.stdout}"


def main() -> None:
    """Write what the commands print into the pages."""
    for page in PAGES:
        with TemporaryDirectory() as folder:
            page.write_text(followed(page, Path(folder), lambda _, new: new), encoding="utf-8")


if __name__ == "__main__":
    main()
