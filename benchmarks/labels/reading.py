"""Labels as records: what was read, and what the tool of today says of it."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from autograd_lint.engine.assumptions import Kind, Prior
from autograd_lint.evidence.counts import load
from autograd_lint.evidence.probability import Premise, Signs

FOLDER = Path(__file__).parent
TOLD = FOLDER / "told.jsonl"
FIXED = FOLDER / "fixed.jsonl"  # chosen because they are right: nothing is reported on them
PLANTED = FOLDER / "planted.jsonl"  # at mistakes that were put in: right, wherever they are told
_SHARES = {"right": 1.0, "pedantic": 0.5, "wrong": 0.0}


class Spot(NamedTuple):
    """Where a finding stands: a code base and its state, a place in it, and the rule."""

    base: str
    state: str
    file: str
    cell: int | None
    row: int
    code: str

    @property
    def fits(self) -> bool:
        """Whether it is of the half for fitting; the other one is for reporting."""
        return is_for_fitting(self.base)


class Told(NamedTuple):
    """How a finding is told today: the kinds of its assumptions, how usual each is before anything
    was counted, and its signals."""

    kinds: tuple[str, ...]
    priors: tuple[str, ...]
    signals: tuple[str, ...]

    def signs(self, code: str) -> Signs:
        """What its probability follows from."""
        pairs = zip(self.kinds, self.priors, strict=True)
        assumed = tuple(Premise(kind, Prior[prior.upper()]) for kind, prior in pairs)
        return Signs(code, assumed, frozenset(self.signals))


@dataclass(frozen=True)
class Label:
    """One finding that was read, and how sure it was then, by assumptions of which kinds; `fixed`
    says that it stands at a bug that a project has fixed. `why` is the sentence that was written
    down for the verdict, the same for all findings of one cause."""

    spot: Spot
    certainty: str
    kinds: tuple[str, ...]
    verdict: str
    fixed: bool = False
    why: str = ""

    @property
    def cause(self) -> tuple[str, str, str]:
        """What several findings of one mistake have in common: code base, rule and reason."""
        return self.spot.base, self.spot.code, self.why

    @property
    def share(self) -> float:
        """How right it is: what is true and harmless is half right."""
        return _SHARES[self.verdict]


@dataclass(frozen=True)
class Learnt:
    """A label whose finding is still told, and all that the tool judges it by."""

    label: Label
    signs: Signs


def is_for_fitting(base: str) -> bool:
    """Which half a code base is of, once and for all."""
    return int(hashlib.sha256(base.lower().encode()).hexdigest()[0], 16) % 2 == 0


def labels(*, fixed: bool = True) -> Iterator[Label]:
    """All labels; `fixed` says whether bugs that projects have fixed are among them."""
    others = {TOLD, PLANTED} if fixed else {TOLD, PLANTED, FIXED}
    for path in sorted(FOLDER.glob("*.jsonl")):
        for record in _records(path) if path not in others else ():
            yield _label(record, fixed=path == FIXED)


def labels_of(name: str) -> list[Label]:
    """The labels of one set, by its letters."""
    return [_label(record, fixed=False) for record in _records(FOLDER / f"labels_{name}.jsonl")]


def told() -> dict[Spot, Told | None]:
    """What the tool said of labelled findings when it was last asked; None of those that it tells
    no more."""
    return {_spot(record): _told(record) for record in _records(TOLD)}


def causes_read() -> Counter[str]:
    """How many causes of each rule somebody has read."""
    return Counter(code for _, code, _ in {one.cause for one in labels()})


def learnt(*, fits: bool) -> list[Learnt]:
    """The labels of one half whose findings are still told."""
    today = told()
    wanted = (one for one in labels(fixed=fits) if one.spot.fits is fits)
    pairs = ((one, today.get(one.spot)) for one in wanted)
    return [Learnt(one, now.signs(one.spot.code)) for one, now in pairs if now is not None]


def planted() -> list[Signs]:
    """The signs of findings at mistakes that were put into code bases of the fitting half."""
    found: list[Signs] = []
    for record in _records(PLANTED):
        told = _told(record)
        if told is not None:
            found.append(told.signs(str(record["code"])))
    return found


def gone(*, fits: bool) -> list[Learnt]:
    """The labels of one half whose findings were certain or likely and are told no more, by what is
    known of them: the rule, the kinds of what they assumed, and whether others install the code."""
    today = told()
    lost = [one for one in labels(fixed=False) if one.spot in today and today[one.spot] is None]
    priors = _priors(today.values())
    return [
        Learnt(one, _kept_of(one, priors, is_package(one.spot.base)))
        for one in lost
        if one.spot.fits is fits and one.certainty in ("certain", "likely")
    ]


def _kept_of(label: Label, priors: Mapping[str, Prior], installed: bool) -> Signs:
    """The signs of a finding that is told no more; what was certain has assumed nothing."""
    code, kinds = label.spot.code, sorted(set(label.kinds)) if label.certainty == "likely" else []
    assumed = tuple(Premise(kind, priors.get(kind, Prior.UNUSUAL)) for kind in kinds)
    of_run = kinds and code in load().raising and Kind.RESULT_TRAINED.value not in kinds
    signal = "in-package" if installed else "raises-when-run" if of_run else None
    return Signs(code, assumed, frozenset({signal} - {None}))


def _priors(today: Iterable[Told | None]) -> dict[str, Prior]:
    """How usual each kind of assumption is in most findings, before anything was counted."""
    pairs = Counter(pair for one in today if one for pair in zip(*one[:2], strict=True))
    return {kind: Prior[prior.upper()] for (kind, prior), _ in reversed(pairs.most_common())}


def is_package(base: str) -> bool:
    """Whether a code base is one that others install: from an index, or from its repository."""
    return "/" not in base or base in _packages()


@cache
def _packages() -> frozenset[str]:
    texts = (one.read_text(encoding="utf-8") for one in FOLDER.glob("bases_*.txt"))
    lines = (line.split() for text in texts for line in text.splitlines())
    return frozenset(words[0] for words in lines if "package" in words[2:3])


def keep(found: dict[Spot, Told | None]) -> None:
    """Write down what the tool says of labelled findings, beside what is known of others."""
    lines = (
        json.dumps({**spot._asdict(), "told": None if now is None else now._asdict()}) + "\n"
        for spot, now in sorted({**told(), **found}.items(), key=lambda one: _order(one[0]))
    )
    TOLD.write_text("".join(lines), encoding="utf-8")


def folder_of(base: str, state: str, bases: Path) -> Path:
    """Where a code base lies among others: a repository as `owner+name`, a package as
    `name-version`."""
    return bases / (base.replace("/", "+") if "/" in base else f"{base}-{state}")


def _records(path: Path) -> Iterable[dict[str, object]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _spot(record: dict[str, object]) -> Spot:
    return Spot(*(record.get(name) for name in Spot._fields))  # type: ignore[arg-type]


def _label(record: dict[str, object], *, fixed: bool) -> Label:
    kinds = record["kinds"]
    assert isinstance(kinds, list)
    certainty, verdict = str(record["certainty"]), str(record["verdict"])
    why = str(record.get("why", ""))
    return Label(_spot(record), certainty, tuple(kinds), verdict, fixed, why)


def _told(record: dict[str, object]) -> Told | None:
    now = record["told"]
    return Told(*(tuple(now[name]) for name in Told._fields)) if isinstance(now, dict) else None


def _order(spot: Spot) -> tuple[object, ...]:
    return (*spot[:3], spot.cell or 0, spot.row, spot.code)
