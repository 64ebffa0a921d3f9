"""What a file imports, read from its text: quick enough to be asked of every file of a project.

A file is not parsed for it. What looks like an import in a docstring is taken for one, which costs
a look at a file more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from autograd_lint.immutable import immutable

# A line begins behind a `\n`, which is found some times faster than the `^` of many lines.
_FROM = re.compile(
    rb"\n[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*"
    rb"(\([^)]*\)|(?:[^\n#\\]|\\\r?\n)*)"
)
_IMPORT = re.compile(rb"\n[ \t]*import[ \t]+((?:[^\n#\\]|\\\r?\n)*)")
_COMMENT = re.compile(rb"#[^\n]*")
_NAME = re.compile(rb"[\w.]+")
_LAZY = (b"LazyModule(", b"lazy_loader")
_TABLE = re.compile(
    rb"""["']([\w.]+)["']\]?[ \t]*(?::|=|\.extend\(|\.append\()\s*(\[[^\]]*\]|["']\w+["'])"""
)
_ALIAS = re.compile(rb"\bas\b[ \t]+\w+")


_COMPUTED = re.compile(rb"""\bimport_module\(\s*f?["']([\w.]+)\.(?:["']|\{|%)""")


@immutable
class Imported:
    """`import module` or `from ..module import names`; `level` counts the dots."""

    module: str
    level: int
    names: tuple[str, ...] = ()


def imports_in(data: bytes) -> tuple[Imported, ...]:
    """The imports in the bytes of a file, wherever in it they stand."""
    return tuple(_imports(data)) if b"import" in data else ()


def _imports(data: bytes) -> Iterator[Imported]:
    lines = b"\n" + data
    for found in _FROM.finditer(lines):
        yield Imported(found[2].decode(), len(found[1]), tuple(_names(found[3])))
    for found in _IMPORT.finditer(lines):
        for name in _names(found[1]):
            yield Imported(name, 0)
    yield from put_off(data)


def computed_in(data: bytes) -> Iterator[str]:
    """The packages of which a file imports modules by names that it computes."""
    if b"import_module(" in data:
        for found in _COMPUTED.finditer(data):
            yield found[1].decode()


def lies_in(filename: str, package: str) -> bool:
    """Whether a file is a module of a package, by its path alone."""
    return os.path.dirname(filename).endswith(os.sep + package.replace(".", os.sep))


def put_off(data: bytes) -> Iterator[Imported]:
    """What a package that imports lazily lists in its table: names by their modules.

    Source: `_LazyModule` in transformers/utils/import_utils.py, `attach` of lazy_loader.
    """
    for found in _TABLE.finditer(data) if any(one in data for one in _LAZY) else ():
        names = tuple(_names(found[2]))
        if names:
            yield Imported(found[1].decode(), 1, names)


def _names(listed: bytes) -> Iterator[str]:
    """The names in a list of imports, without those that they are given."""
    plain = _ALIAS.sub(b"", _COMMENT.sub(b"", listed))
    for found in _NAME.finditer(plain):
        yield found[0].decode()
