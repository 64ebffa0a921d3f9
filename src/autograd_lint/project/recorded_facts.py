"""What runs of the project have seen, from the files that the settings name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from autograd_lint.errors import Trouble
from autograd_lint.observed.calls import Call, Key, Observed, merged


class RecordedFacts:
    """The facts in some files, read when they are first asked for."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._files = tuple(files)

    @property
    def trail(self) -> Iterator[str]:
        """The files."""
        return map(str, self._files)

    def of_file(self, filename: str) -> list[tuple[Key, list[Call]]]:
        """The functions of a file that were seen, by the absolute name of the file."""
        return list(self._all.of_file(filename)) if self._files else []

    @cached_property
    def _all(self) -> Observed:
        return merged(found for path in self._files if (found := _read(path)) is not None)


def _read(path: Path) -> Observed | None:
    """The facts of one file; None where it cannot be read, which the settings have told of."""
    from autograd_lint.observed.documents import read

    with suppress(Trouble):
        return read(path)
    return None
