"""The settings for each file: its configuration file, and the editor's preferences over it."""

from pathlib import Path

from autograd_lint.checking.configured import settings_for
from autograd_lint.configuration import config
from autograd_lint.configuration.settings import Settings
from autograd_lint.errors import Trouble
from autograd_lint.immutable import immutable
from autograd_lint.project.stamps import Stamp, stamp_of
from autograd_lint.server.preferences import Preferences

NAMES = config.NAMES


@immutable
class _Read:
    """Settings as they were read, and the state of every file that they may be read from."""

    stamps: tuple[Stamp, ...]
    settings: Settings
    trouble: str
    extended: tuple[Path, ...] = ()


class Configuration:
    """Settings by folder, read again when a configuration file comes, goes or changes."""

    def __init__(self) -> None:
        self.preferences = Preferences()
        self._read: dict[tuple[Path, Preferences], _Read] = {}

    def of(self, filename: str) -> Settings:
        """The settings for a file; the plain ones where there is trouble with them."""
        return self._current(filename).settings

    def trouble(self, filename: str) -> str:
        """What is wrong with the settings for a file, in one line; empty where nothing is."""
        return self._current(filename).trouble

    def sources(self, filename: str) -> tuple[str, ...]:
        """The configuration files that decide them: nothing that a result is kept by."""
        return ()

    def _current(self, filename: str) -> _Read:
        folder = Path(filename).parent
        key = folder, self.preferences
        known = self._read.get(key)
        if known is None or known.stamps != self._stamps(folder, known.extended):
            settings, trouble = self._settings(filename)
            extended = _extended(settings)
            stamps = self._stamps(folder, extended)
            known = self._read[key] = _Read(stamps, settings, trouble, extended)
        return known

    def _stamps(self, folder: Path, extended: tuple[Path, ...]) -> tuple[Stamp, ...]:
        return tuple(_stamps(folder, self.preferences.config, extended))

    def _settings(self, filename: str) -> tuple[Settings, str]:
        try:
            return settings_for(self.preferences.request(filename)), ""
        except Trouble as trouble:
            return Settings(root=Path(filename).parent), str(trouble)


def _extended(settings: Settings) -> tuple[Path, ...]:
    """The configuration files that the one of some settings extends."""
    return tuple(config.chain(settings.file)[1:]) if settings.file else ()


def _stamps(folder: Path, named: str | None, extended: tuple[Path, ...]) -> list[Stamp]:
    above = [directory / name for directory in (folder, *folder.parents) for name in NAMES]
    nearest = [Path(named)] if named else above
    return [stamp_of(str(path)) for path in (*nearest, *extended)]
