"""How right the tool was on code bases that nobody had looked at, as it told them then."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.labels.reading import Label, labels_of
from benchmarks.labels.reporting import VERDICTS

FOLDER = Path(__file__).parent
LEVELS = ("certain", "likely")
_OF_VERSIONS = "AG901"  # names that later versions do not have: always right, and many


def table() -> Iterator[str]:
    """A row for each set of code bases: what was certain and likely when it was read."""
    yield "| set | code bases | lines | certain | likely | certain, by cause | likely, by cause |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for path in sorted(FOLDER.glob("bases_*.txt"), key=lambda one: (len(one.stem), one.stem)):
        name = path.stem.removeprefix("bases_")
        read = [one for one in labels_of(name) if one.spot.code != _OF_VERSIONS]
        told = [[one for one in read if one.certainty == level] for level in LEVELS]
        figures = [*map(_by_finding, told), *map(_by_cause, told)]
        yield f"| {name} | {_size(path)} | {' | '.join(figures)} |"


def _size(path: Path) -> str:
    """How many code bases a list has, and how many lines of Python."""
    lines = [one.split() for one in path.read_text(encoding="utf-8").splitlines()]
    bases = [words for words in lines if words and words[0] != "#"]
    said = (word.removeprefix("lines=") for words in bases for word in words if "lines=" in word)
    total = sum(map(int, said))
    return f"{len(bases)} | {total / 1e6:.1f} million" if total else f"{len(bases)} | "


def _by_finding(found: Iterable[Label]) -> str:
    return _counts(one.verdict for one in found)


def _by_cause(found: Iterable[Label]) -> str:
    """The same where several findings of one mistake count once."""
    return _counts(verdict for _, verdict in {(one.cause, one.verdict) for one in found})


def _counts(verdicts: Iterable[str]) -> str:
    counts = Counter(verdicts)
    return " / ".join(str(counts[name]) for name in VERDICTS)
