"""The settings for each file: its configuration file, and the editor's preferences over it."""

from dataclasses import dataclass
from pathlib import Path

from autograd_lint import config
from autograd_lint.cli.configured import settings_for
from autograd_lint.config import Settings
from autograd_lint.errors import Trouble
from autograd_lint.project.stamps import Stamp, stamp_of
from autograd_lint.server.preferences import Preferences

NAMES = (config.OWN_FILE, "pyproject.toml")
"""The names of configuration files."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Settings as they were read, and the state of every file that they may be read from."""

    stamps: tuple[Stamp, ...]
    settings: Settings
    trouble: str


class Configuration:
    """Settings by folder, read again when a configuration file comes, goes or changes."""

    def __init__(self) -> None:
        self.preferences = Preferences()
        self._read: dict[tuple[Path, Preferences], _Read] = {}

    def of(self, filename: str) -> tuple[Settings, str]:
        """The settings for a file, and the trouble with them: then they are the plain ones."""
        folder = Path(filename).parent
        stamps = tuple(_stamps(folder, self.preferences.config))
        key = folder, self.preferences
        known = self._read.get(key)
        if known is None or known.stamps != stamps:
            known = self._read[key] = _Read(stamps, *self._settings(filename))
        return known.settings, known.trouble

    def _settings(self, filename: str) -> tuple[Settings, str]:
        try:
            return settings_for(self.preferences.request(filename)), ""
        except Trouble as trouble:
            return Settings(root=Path(filename).parent), str(trouble)


def excluded(settings: Settings, filename: str) -> bool:
    """Whether the configuration leaves a file out."""
    spec = config.patterns(settings.exclude)
    return config.matches(spec, settings.root, filename)


def _stamps(folder: Path, named: str | None) -> list[Stamp]:
    above = [directory / name for directory in (folder, *folder.parents) for name in NAMES]
    return [stamp_of(str(path)) for path in ([Path(named)] if named else above)]
