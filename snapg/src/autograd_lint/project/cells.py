"""The names of notebooks' cells.

A cell is called `path.ipynb:cell N`, where N counts all cells from 1 and rows count within the cell
(the convention of ruff's output).
"""

SUFFIX = ".ipynb"
MARK = ":cell "


def is_notebook(filename: str) -> bool:
    """Whether a file is a notebook by its name."""
    return filename.endswith(SUFFIX)


def file_of(name: str) -> str:
    """The file of what may be the name of a cell."""
    return name.partition(SUFFIX + MARK)[0] + SUFFIX if SUFFIX + MARK in name else name


def cell_of(name: str) -> int | None:
    """The number of the cell that a name calls, None for a file."""
    _, mark, number = name.partition(SUFFIX + MARK)
    return int(number) if mark else None
