"""Whether the linter sees a mistake that is put into real code.

`python -m benchmarks.mistakes FOLDER... [--most N] [--missed] [--alone] [--labels] [--care]`; each
FOLDER is a project, which is read, never run. One mistake at a time (`mistaken_edits.py` and
`misplaced_steps.py`, with `--care` what `forgotten_care.py` takes away) goes into the text of one
file (at most N of a kind in a project, drawn by a hash; none in tests). It is seen when something
is told that was not told before, by the runs of that file or, unless `--alone`, of those that
import it; a finding that is only possible is counted apart. Not every mistake does harm: what runs
without grad mode keeps no graph. `--labels` prints the findings that name the mistake, with all
that they are judged by, as `labels/planted.jsonl` holds them.
"""

import argparse
import ast
import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.findings import Certainty, Finding
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from benchmarks.claims import findings, time_limit
from benchmarks.forgotten_care import FORGOTTEN
from benchmarks.misplaced_steps import MISPLACED
from benchmarks.mistaken_edits import MISTAKES, NAMED_BY, Edit, Mistake

SECONDS = 60
Key = tuple[str, str]


@dataclass(frozen=True)
class Place:
    """Where a mistake can be made in a project."""

    mistake: str
    file: Path
    edit: Edit

    def drawn(self, root: Path) -> str:
        """What says in which order the places of a project are drawn."""
        told = f"{self.file.relative_to(root)}:{self.edit.first}"
        return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """One mistake: which, where, and what is told anew."""

    mistake: str
    where: str
    new: list[Finding]

    @property
    def seen(self) -> bool:
        """Whether something is told by default."""
        return any(one.certainty.at_least(Certainty.LIKELY) for one in self.new)


def _places(root: Path, mistakes: Sequence[Mistake]) -> Iterator[Place]:
    """Where some mistakes can be made in a project."""
    for file in sorted(root.rglob("*.py")):
        if "test" in str(file.relative_to(root)):
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(text) if "torch" in text else None
        except (SyntaxError, ValueError):
            continue
        rows = text.splitlines(keepends=True)
        for make in mistakes if tree else ():
            yield from (Place(make.__name__, file, edit) for edit in make(tree, rows))


def drawn(root: Path, most: int, mistakes: Sequence[Mistake] = MISTAKES) -> list[Place]:
    """At most so many places for each mistake in a project."""
    by_kind: dict[str, list[Place]] = {}
    for place in sorted(_places(root, mistakes), key=lambda one: one.drawn(root)):
        by_kind.setdefault(place.mistake, []).append(place)
    return [place for places in by_kind.values() for place in places[:most]]


def _found(file: Path, root: Path, text: str, *, alone: bool) -> dict[Key, Finding]:
    """The findings in a file with this text, whatever their certainty, by what they say."""
    source = Source(str(file), text)
    try:
        with time_limit(SECONDS):
            project = Project([root], {source.filename: source})  # so importers read this text
            least = Certainty.POSSIBLE
            told = findings(source, project, importers=not alone, least=least)
    except TimeoutError:
        return {}
    by_certainty = sorted(told, key=lambda one: one.certainty.rank, reverse=True)
    return {_key(text, one): one for one in by_certainty}


def _key(text: str, finding: Finding) -> Key:
    """What a finding says, wherever the line stands by now."""
    rows, row = text.splitlines(), finding.place.row
    return finding.code, rows[row - 1].strip() if 0 < row <= len(rows) else ""


def outcomes(
    root: Path, most: int, mistakes: Sequence[Mistake] = MISTAKES, *, alone: bool
) -> Iterator[Outcome]:
    """What came of mistakes in a project; the files stay as they are."""
    before: dict[Path, dict[Key, Finding]] = {}
    for place in drawn(root, most, mistakes):
        file, edit = place.file, place.edit
        text = file.read_text(encoding="utf-8", errors="replace")
        if file not in before:
            before[file] = _found(file, root, text, alone=alone)
        rows = text.splitlines(keepends=True)
        wrong = "".join([*rows[: edit.first - 1], *edit.rows, *rows[edit.last :]])
        now = _found(file, root, wrong, alone=alone)
        new = [one for key, one in now.items() if _is_new(before[file].get(key), one)]
        where = f"{root.name}/{file.relative_to(root)}:{edit.first}"
        yield Outcome(place.mistake, where, new)


def _is_new(before: Finding | None, now: Finding) -> bool:
    """Whether a finding is told anew, or with more certainty."""
    return before is None or before.certainty.rank > now.certainty.rank


def _labels(outcome: Outcome) -> Iterator[str]:
    """The findings that name a mistake, a line of JSON each."""
    for one in outcome.new:
        if one.code == NAMED_BY.get(outcome.mistake):
            told = {
                "kinds": [assumed.kind for assumed in one.assumptions],
                "priors": [assumed.prior for assumed in one.assumptions],
                "signals": list(one.signals),
            }
            where = {"mistake": outcome.mistake, "where": outcome.where}
            yield json.dumps({**where, "code": one.code, "told": told})


def _table(found: list[Outcome], mistakes: Sequence[Mistake]) -> Iterator[str]:
    """How many mistakes are seen, possible, and made, by their kinds."""
    made = Counter(one.mistake for one in found)
    seen = Counter(one.mistake for one in found if one.seen)
    possible = Counter(one.mistake for one in found if one.new and not one.seen)
    yield " seen  possible  made"
    for make in mistakes:
        name = make.__name__
        yield f"{seen[name]:5}  {possible[name]:8}  {made[name]:4}  {name.replace('_', ' ')}"
    yield f"{seen.total():5}  {possible.total():8}  {made.total():4}"


def main() -> None:
    """Print, by mistake, how many were seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=1, help="mistakes of a kind in one project")
    parser.add_argument("--missed", action="store_true", help="list what was not seen")
    parser.add_argument("--alone", action="store_true", help="without the files that import it")
    parser.add_argument("--labels", action="store_true", help="print findings as labels")
    parser.add_argument("--care", action="store_true", help="take away care instead")
    options = parser.parse_args()
    mistakes = FORGOTTEN if options.care else [*MISTAKES, *MISPLACED]
    warnings.simplefilter("ignore")  # about the string escapes of others
    found: list[Outcome] = []
    for folder in options.folders:
        for one in outcomes(folder.resolve(), options.most, mistakes, alone=options.alone):
            found.append(one)
            for line in _labels(one) if options.labels else ():
                print(line, flush=True)
            if options.missed and not one.seen:
                level = "possible" if one.new else "none"
                print(f"{level:9} {one.mistake:22} {one.where}", flush=True)
    if not options.labels:
        print("\n".join(_table(found, mistakes)))


if __name__ == "__main__":
    main()
