"""Places in source files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A range of source text.

    Rows and columns count from 1, columns count characters, the end is exclusive
    (the convention of ruff's JSON, and so of ours).
    """

    filename: str
    row: int
    column: int
    end_row: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.filename}:{self.row}:{self.column}"
