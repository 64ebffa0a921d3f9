"""What the editor asks for: its settings for `autograd-lint`, laid over the configuration file."""

from collections.abc import Callable, Mapping
from typing import Any

from autograd_lint.checking.request import Request
from autograd_lint.configuration.config import torch_version
from autograd_lint.errors import Trouble
from autograd_lint.findings import Certainty
from autograd_lint.immutable import immutable

SECTION = "autograd-lint"
"""The name of the section in the editor's settings."""

Codes = tuple[str, ...]


@immutable
class Preferences:
    """The keys of the section, by the names they have in a configuration file.

    `run` is `type` (check while the text changes) or `save`. `config` names a configuration file in
    place of the nearest one. `unsafe_fixes`: fixing all applies the unsafe ones, too.
    """

    enable: bool = True
    run: str = "type"
    unsafe_fixes: bool = False
    config: str | None = None
    select: Codes = ()
    ignore: Codes = ()
    extend_select: Codes = ()
    certainty: str | None = None
    target_torch: str | None = None

    def request(self, filename: str) -> Request:
        """The same as the options of a `check` of one file."""
        return Request(
            paths=(filename,),
            config=self.config,
            select=self.select,
            ignore=self.ignore,
            extend_select=self.extend_select,
            certainty=self.certainty,
            target_torch=self.target_torch,
        )


def read(value: object) -> Preferences:
    """The preferences in a section of settings; raises Trouble for what is wrong in it.

    `value` may be the section or hold it, or be None where the editor has no settings.
    """
    section: Mapping[str, object] = value if isinstance(value, Mapping) else {}
    for name in ("settings", SECTION):
        inner = section.get(name)
        if isinstance(inner, Mapping):
            section = inner
    read = {key.replace("-", "_"): one for key, one in section.items()}
    unknown = read.keys() - _READERS.keys()
    if unknown:
        known = ", ".join(sorted(_READERS)).replace("_", "-")
        raise Trouble(f"editor settings: unknown key `{min(unknown)}`; known keys: {known}")
    values: dict[str, Any] = {key: _READERS[key](key, one) for key, one in read.items()}
    return Preferences(**values)


def _boolean(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise Trouble(f"editor settings: `{key}` must be true or false")
    return value


def _codes(key: str, value: object) -> Codes:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise Trouble(f'editor settings: `{key}` must be a list of strings, as ["AG103"]')
    return tuple(value)


def _path(key: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise Trouble(f"editor settings: `{key}` must be the path of a configuration file")
    return value or None


def _version(key: str, value: object) -> str | None:
    if value is None:
        return None
    try:
        return torch_version(value)
    except ValueError as error:
        name = key.replace("_", "-")
        raise Trouble(f"editor settings: `{name}` {error}") from None


def _one_of(*names: str) -> Callable[[str, object], object]:
    def reader(key: str, value: object) -> object:
        if value not in (None, *names):
            raise Trouble(f"editor settings: `{key}` must be one of {', '.join(names)}")
        return value

    return reader


_READERS: dict[str, Callable[[str, object], object]] = {
    "enable": _boolean,
    "unsafe_fixes": _boolean,
    "run": lambda key, value: _one_of("type", "save")(key, value) or "type",
    "config": _path,
    "select": _codes,
    "ignore": _codes,
    "extend_select": _codes,
    "certainty": _one_of(*(one.value for one in Certainty)),
    "target_torch": _version,
}
