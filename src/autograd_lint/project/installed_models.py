"""The folders of models that installed packages bring, found without importing any package.

A package names its folder by an entry point of the group `autograd_lint.models`, as a module:
`acme = "acme.autograd_models"` is the folder `autograd_models` inside of the package `acme`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

GROUP = "autograd_lint.models"


@cache
def installed_folders() -> tuple[Path, ...]:
    """The folders of models of all installed packages, by the names of their entry points."""
    if not _any_names_the_group():
        return ()
    from importlib.metadata import entry_points  # takes longer than most checks of a file

    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(folder for point in points for folder in _folders(point.value))


def _any_names_the_group() -> bool:
    """Whether any package names a folder of models."""
    files = (path for place in sys.path for path in Path(place).glob("*-info/entry_points.txt"))
    return any(GROUP in path.read_text("utf-8", "replace") for path in files)


def places_of_packages() -> tuple[str, ...]:
    """The folders in which a package would appear that is installed from now on."""
    return tuple(path for path in sys.path if Path(path).is_dir())


def _folders(module: str) -> Iterator[Path]:
    top, *inside = module.split(".")
    found = PathFinder.find_spec(top)
    for location in (found.submodule_search_locations or ()) if found else ():
        yield Path(location, *inside)
