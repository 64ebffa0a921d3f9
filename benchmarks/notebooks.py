"""Whether each code cell of public notebooks is read, or is itself what is reported.

`python -m benchmarks.notebooks FOLDER... [--most N]`; in the folders notebooks are looked for (at
most N of each), and only read. A cell is read when its Python is part of the program that is
checked, and reported when a finding AG901 has its number. Magics, shell commands and cells of
other languages are no Python: nothing of them is to be read.
"""

import argparse
import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from autograd_lint.project.cell_text import Python, python_of
from autograd_lint.project.notebooks import Notebook, read


@dataclass(frozen=True)
class Cell:
    """A code cell: where it stands, and what became of it (`read`, `reported`, `lost`)."""

    notebook: str
    number: int
    outcome: str


def outcomes(notebook: Notebook) -> Iterator[Cell]:
    """What became of each code cell of a notebook."""
    reported = {finding.cell for finding in notebook.broken}
    for number, text in notebook.cells:
        outcome = "reported" if number in reported else "lost"
        if outcome == "lost" and _is_part(python_of(text), notebook):
            outcome = "read"
        yield Cell(notebook.filename, number, outcome)


def _is_part(python: Python, notebook: Notebook) -> bool:
    """Whether the Python of a cell is part of a program that can be parsed."""
    return python.error is None and python.text in notebook.text and _parses(notebook.text)


@lru_cache(1)
def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def notebooks(folders: list[Path], most: int) -> Iterator[Notebook]:
    """The notebooks of format 4 in some folders."""
    for folder in folders:
        for path in islice(sorted(folder.rglob("*.ipynb")), most):
            try:
                yield read(path.read_bytes(), str(path))
            except ValueError:
                continue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=1_000, help="notebooks of each folder")
    options = parser.parse_args()
    found = list(notebooks(options.folders, options.most))
    cells = [cell for notebook in found for cell in outcomes(notebook)]
    counted = Counter(cell.outcome for cell in cells)
    said = ", ".join(f"{counted[one]} {one}" for one in ("read", "reported", "lost"))
    print(f"{len(found)} notebooks, {len(cells)} code cells: {said}")
    for cell in (cell for cell in cells if cell.outcome == "lost"):
        print(f"  {cell.notebook}: cell {cell.number}")


if __name__ == "__main__":
    main()
