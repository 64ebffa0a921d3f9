"""How operators changed from one version of torch to the next."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.table import load, numbers, versions


@dataclass(frozen=True)
class Era:
    """Versions measured, the oldest first, in which an operator did the same; None where there was
    no such operator."""

    versions: tuple[str, ...]
    operator: Operator | None

    def __str__(self) -> str:
        oldest, newest = self.versions[0], self.versions[-1]
        return oldest if oldest == newest else f"{oldest} to {newest}"


def eras(name: str) -> tuple[Era, ...]:
    """The history of the operator of that name in the table."""
    found = ((_in(version, name), version) for version in versions())
    return tuple(
        Era(tuple(version for _, version in group), operator)
        for operator, group in groupby(found, key=lambda pair: pair[0])
    )


def alike(words: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """The versions measured in groups: those that do the same by all names that end in one of some
    words, in programs that use no other operators."""
    changed = [_by_word()[word] for word in sorted(_by_word().keys() & words)]
    groups: dict[tuple[object, ...], list[str]] = {}
    for place, version in enumerate(versions()):
        groups.setdefault(tuple(facts[place] for facts in changed), []).append(version)
    return tuple(map(tuple, groups.values()))


def spans(found: Collection[str]) -> Iterator[str]:
    """Some of the versions measured in words: `since torch 2.8 (not on 2.4)`, `up to torch 2.4`.

    The next version on the other side is named where others lie between that were not measured.
    """
    every = versions()
    for here, group in groupby(range(len(every)), key=lambda place: every[place] in found):
        places = list(group)
        if here:
            yield _span(every, places[0], places[-1])


def _span(every: tuple[str, ...], first: int, last: int) -> str:
    if last == len(every) - 1:
        return f"since torch {every[first]}{_other(every, first, first - 1)}"
    if first == 0:
        return f"up to torch {every[last]}{_other(every, last, last + 1)}"
    return f"on torch {Era(every[first : last + 1], None)}"


def _other(every: tuple[str, ...], place: int, beyond: int) -> str:
    if abs(numbers(every[place])[1] - numbers(every[beyond])[1]) == 1:
        return ""
    return f" (not on {every[beyond]})"


@cache
def _by_word() -> dict[str, tuple[object, ...]]:
    """What each version measured has by the names that end in a word, where they differ."""
    tables = [load(version) for version in versions()]
    names = {name for table in tables for name in table.own_names()}
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(name.rpartition(".")[2], []).append(name)
    return {
        word: tuple(
            tuple((table.lacks(name), _in(version, name)) for name in those)
            for version, table in zip(versions(), tables, strict=True)
        )
        for word, those in found.items()
    }


def _in(version: str, name: str) -> Operator | None:
    table = load(version)
    return table.operator(name) if name in table else None
