"""How new a version may be, by what a requirement says: `>=2.1,<2.5`, `^2.1`, `=2.4=py3.11`."""

from __future__ import annotations

import re
from dataclasses import dataclass

Minor = tuple[int, int]
"""The first two numbers of a version."""

_ANY = 999
_CLAUSE = re.compile(r"(===|==|~=|!=|<=|>=|<|>|=|\^|~)?\s*v?(\d+(?:\.\d+)*)(\.\*)?")


@dataclass(frozen=True, order=True)
class Newest:
    """The newest version that a requirement allows; `exact` says that it allows no other."""

    version: Minor
    exact: bool = False


def newest(specifier: str) -> Newest | None:
    """The newest version that a specifier allows (those of pip, Poetry and conda); None where it
    sets no limit."""
    found = [_of_all(one) for one in re.split(r"\|\|?", specifier)]
    known = [one for one in found if one is not None]
    return max(known) if len(known) == len(found) else None


def minor(version: str) -> Minor | None:
    """The first two numbers of a version; None where it has none."""
    found = re.match(r"[=v\s]*(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else None


def _of_all(clauses: str) -> Newest | None:
    """The newest version that all clauses allow."""
    limits = [_of_clause(part.strip()) for part in re.split(r"[,\s]+(?=[=<>!~^])|,", clauses)]
    return min((one for one in limits if one is not None), default=None)


def _of_clause(clause: str) -> Newest | None:
    found = _CLAUSE.match(clause)
    if found is None or found[1] in (">", ">=", "!="):
        return None
    sign, numbers = found[1] or "==", [int(part) for part in found[2].split(".")]
    major, second = numbers[0], numbers[1] if len(numbers) > 1 else None
    if sign == "<":
        return Newest(_below(numbers))
    if second is None or sign == "^" or (sign == "~=" and len(numbers) == 2):
        return Newest((major, _ANY))
    return Newest((major, second), exact=sign not in ("<=", "~=", "~"))


def _below(numbers: list[int]) -> Minor:
    """The newest version before one: 2.4 is before 2.5, and 2.5.0 before 2.5.1."""
    major, second, *patch = [*numbers, 0][: max(2, len(numbers))]
    if any(patch):
        return (major, second)
    return (major, second - 1) if second else (major - 1, _ANY)
