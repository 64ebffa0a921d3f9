"""How right the tool is on labels, at each certainty and by what it predicts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from autograd_lint.evidence.judging import certainty_of
from autograd_lint.evidence.probability import probability
from autograd_lint.rules.precision import LEVELS
from benchmarks.labels.reading import Learnt, is_package

VERDICTS = ("right", "pedantic", "wrong")


def report(found: Sequence[Learnt]) -> Iterator[str]:
    """The lines of the report on findings that are still told."""
    bases = {one.label.spot.base for one in found}
    yield f"{len(found)} findings of {len(bases)} code bases"
    yield ""
    yield "| | right | pedantic | wrong | share right | share not wrong |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for where, wanted in _WHERE.items():
        for name in LEVELS:
            chosen = [one for one in found if wanted(one) and _level(one) == name]
            yield f"| {name}{where} {_counts(chosen)} |"
    shown = [one for one in found if _level(one) != "possible"]
    yield f"| all that is shown {_counts(shown)} |"
    yield from (f"| {name}, by cause {_counts(causes(found, name))} |" for name in LEVELS)
    yield ""
    yield from _reliability(found)


def causes(found: Iterable[Learnt], name: str) -> list[Learnt]:
    """One finding for each cause of those of one certainty; several of one mistake count once."""
    chosen = (one for one in found if _level(one) == name)
    return list({(one.label.cause, one.label.verdict): one for one in chosen}.values())


def _level(one: Learnt) -> str:
    """How sure the finding is today."""
    return certainty_of(probability(one.signs)).value


def _reliability(found: Iterable[Learnt]) -> Iterator[str]:
    """Predicted against observed, by tenths; half of what is pedantic is right."""
    tenths: dict[int, list[Learnt]] = defaultdict(list)
    for one in found:
        if one.signs.assumed:
            tenths[int(probability(one.signs) * 10)].append(one)
    yield "| probability | findings | predicted | observed |"
    yield "| --- | --- | --- | --- |"
    for tenth, chosen in sorted(tenths.items()):
        predicted = sum(probability(one.signs) for one in chosen) / len(chosen)
        observed = sum(one.label.share for one in chosen) / len(chosen)
        span = f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}"
        yield f"| {span} | {len(chosen)} | {predicted:.2f} | {observed:.2f} |"


def _counts(found: Sequence[Learnt]) -> str:
    counts = Counter(one.label.verdict for one in found)
    right, pedantic, wrong = (counts[verdict] for verdict in VERDICTS)
    if not found:
        return "| 0 | 0 | 0 | |"
    shares = (f"{one / len(found):.0%}" for one in (right, right + pedantic))
    return f"| {right} | {pedantic} | {wrong} | {' | '.join(shares)}"


def _is_package(one: Learnt) -> bool:
    return is_package(one.label.spot.base)


_WHERE: dict[str, Callable[[Learnt], bool]] = {
    "": lambda _: True,
    ", in packages": _is_package,
    ", in programs": lambda one: not _is_package(one),
}
