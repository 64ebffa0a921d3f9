"""How operators changed from one version of torch to the next."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.table import load, numbers, versions

Versions = tuple[str, ...]


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


def alike(words: Collection[str], asked: Collection[str] | None = None) -> tuple[Versions, ...]:
    """The versions measured in groups: those that do the same in programs made of some words.

    Who names something of a module names the module, too. What runs have not `asked` the table for
    makes no difference to them; None where that is not known.
    """
    known = sorted(_changed().keys() & words)
    modules = {"", *words}
    named = [name for word in known for name in _changed()[word] if _module(name) in modules]
    changed = [_facts(name) for name in named if asked is None or name in asked]
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
def _changed() -> dict[str, tuple[str, ...]]:
    """The names by which some versions measured lack what others have, or have something else, by
    their last parts."""
    found: dict[str, list[str]] = {}
    for name in sorted({name for version in versions() for name in load(version).own_names()}):
        found.setdefault(name.rpartition(".")[2], []).append(name)
    return {word: tuple(names) for word, names in found.items()}


def _module(name: str) -> str:
    """The module that something is named by; empty for what `torch` itself or tensors have."""
    home = name.removeprefix("torch.").rpartition(".")[0].rpartition(".")[2]
    return "" if home[:1].isupper() else home


@cache
def _facts(name: str) -> tuple[object, ...]:
    """What each version measured has by a name."""
    return tuple((load(version).lacks(name), _in(version, name)) for version in versions())


def _in(version: str, name: str) -> Operator | None:
    table = load(version)
    return table.operator(name) if name in table else None
