"""Which settings hold for a file: those of the nearest configuration, under what a run asks for."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from autograd_lint.configuration import config
from autograd_lint.configuration.settings import Layer, Settings


class Governing(Protocol):
    """What knows the settings of every file; `Settings` are those of all files alike."""

    def of(self, filename: str) -> Settings:
        """The settings of a file; raises Trouble for what is wrong in them."""

    def sources(self, filename: str) -> tuple[str, ...]:
        """The configuration files that decide them, those among them that are not there, too."""


@dataclass(frozen=True)
class Nearest:
    """The settings of each file: its nearest configuration under a layer that lies over all.

    It lives for one run: a folder is looked at once. `check` raises Trouble for settings that
    cannot be.
    """

    layer: Layer
    check: Callable[[Settings], None] = field(repr=False)
    plain: Settings = field(default_factory=Settings)
    _known: dict[Path, Settings] = field(default_factory=dict, compare=False, repr=False)

    def of(self, filename: str) -> Settings:
        """The settings of a file; raises Trouble for what is wrong in them."""
        return self.of_folder(Path(os.path.abspath(filename)).parent)

    def of_folder(self, folder: Path) -> Settings:
        """The settings of the files in a folder."""
        if folder not in self._known:
            self._known[folder] = self._read(folder)
        return self._known[folder]

    def _read(self, folder: Path) -> Settings:
        file = config.of_folder(folder)
        if file is None and folder != folder.parent:
            return self.of_folder(folder.parent)
        settings = (config.load(file) if file else self.plain).under(self.layer)
        self.check(settings)
        return settings

    def sources(self, filename: str) -> tuple[str, ...]:
        """The configuration files that decide them, those among them that are not there, too."""
        folder = Path(os.path.abspath(filename)).parent
        file = self.of_folder(folder).file
        asked = []
        for above in (folder, *folder.parents):
            asked += [str(above / name) for name in config.NAMES]
            if file is not None and above == file.parent:
                break
        return (*asked, *map(str, config.chain(file)[1:] if file else ()))
