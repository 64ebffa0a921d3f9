"""Figures over errors, fixes, threads, texts, and time.

`python -m benchmarks.diagnosing errors FOLDER [--traces FILE]`: each program of FOLDER
(`fixtures/cases/engine/errors` and the like) runs on torch for its real traceback, in a child of
its own; its cause line is to be first, given the whole traceback, that of anomaly mode, and the
last line alone. `--traces` keeps what was printed.

`... fixes FACTS MIRRORS --trees FOLDER [--project]`: real bugs with an error text, as recorded; the
cause is to be among the first three given the file, among the first five given the whole project.
MIRRORS and `--trees` are those of `benchmarks.real_fixes`.

`... threads FOLDER [--traces FILE]`: users' questions as programs: with what torch printed beside
(`fixtures/threads`), with a `case.json` that has it, or `buggy.py`, which runs for its traceback.

`... silent FOLDER` (`fixtures/cases/engine/silent` and the like), `... silent FACTS MIRRORS --trees
FOLDER`: what raises nothing, given the file and its symptom (`diagnose --symptom`).

`... texts FOLDER [--count N]`: N damaged variants of what is printed in the `.txt` files of FOLDER;
none may crash. Also prints what share is still read as the same class.

`... time FOLDER --error FILE`: how long a diagnosis of the project in FOLDER takes without a cache.

Lines that are missed are listed with `--list`. A place counts where the finding, or a place that it
relates to, is within a line of the cause; `exactly` where the finding's own statement is on it.
Bugs and questions are halves: those that the tool may be tuned on, and those kept apart.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.diagnosis import symptoms
from autograd_lint.diagnosis.diagnosing import Diagnosis, Request, diagnose
from autograd_lint.diagnosis.ranking import Candidate
from autograd_lint.diagnosis.reading import read
from benchmarks.diagnosing.cases import Case, errors, fixes, silent, threads
from benchmarks.diagnosing.texts import mutated


@dataclass(frozen=True)
class Verdict:
    """The rank of the cause, 0 where it is not told, and whether the place is exact."""

    rank: int
    exact: bool


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("errors", "fixes", "threads", "silent", "texts", "time"))
    parser.add_argument("folder", type=_path, help="a folder of programs, or a file of facts")
    parser.add_argument("mirrors", type=_path, nargs="?")
    parser.add_argument("--trees", type=_path)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--error", type=Path)
    parser.add_argument("--project", action="store_true")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.what == "texts":
        damaged(options.folder, options.count)
    elif options.what == "time":
        timed(options.folder, options.error.read_text())
    else:
        for kind, cases in _cases(options).items():
            judged(kind, [one for one in cases if options.only in one.name], options.list)


def _path(text: str) -> Path:
    return Path(text).resolve()


def _cases(options: argparse.Namespace) -> dict[str, list[Case]]:
    if options.what == "errors":
        return errors(options.folder, options.traces)
    if options.what == "fixes":
        found = fixes(options.folder, options.mirrors, options.trees, options.project)
        return {"project" if options.project else "file": list(found)}
    if options.what == "silent":
        found = list(silent(options.folder, options.mirrors, options.trees))
        kinds = sorted({one.text for one in found})
        return {kind: [one for one in found if one.text == kind] for kind in kinds}
    return threads(options.folder, options.traces)


def judged(kind: str, cases: Sequence[Case], listing: bool) -> None:
    """Diagnose every case, and print at which rank its cause is told."""
    verdicts = [(case, _verdict(case, listing)) for case in cases]
    _print(kind, [verdict for _, verdict in verdicts])
    apart = [verdict for case, verdict in verdicts if not case.mended_on]
    if apart:
        _print(f"{kind}, may be tuned on", [v for case, v in verdicts if case.mended_on])
        _print(f"{kind}, kept apart", apart)


def _print(kind: str, verdicts: Sequence[Verdict]) -> None:
    ranks = Counter(one.rank for one in verdicts)
    exact = sum(one.exact and one.rank == 1 for one in verdicts)
    total = len(verdicts) or 1
    shares = {most: sum(ranks[rank] for rank in range(1, most + 1)) for most in (1, 3, 5)}
    told = ", ".join(f"first {most}: {n} ({n / total:.0%})" for most, n in shares.items())
    print(f"{kind}: {len(verdicts)} errors; {told}; first and exactly: {exact / total:.0%}")


def _verdict(case: Case, listing: bool) -> Verdict:
    """At which rank the cause of a case is told; `listing` prints those that are not first."""
    found = _diagnosis(case)
    candidates = found.ranked.candidates if found is not None else ()
    verdict = verdict_of(candidates, case)
    if listing and verdict.rank != 1:
        topic = found.evidence.topic.name if found is not None else "not read"
        told = [_said(one) for one in candidates[:5]]
        wanted = sorted({f"{path.name}:{row}" for path, row in case.causes})
        half = "" if case.mended_on else " (apart)"
        print(
            f"  {verdict.rank or 'missed'} {case.name}{half} [{topic}] wanted {wanted} got {told}"
        )
        sys.stdout.flush()
    return verdict


def _diagnosis(case: Case) -> Diagnosis | None:
    if case.text in symptoms.NAMES:
        return symptoms.diagnose(case.text, Request("", case.paths, jobs=1))
    return diagnose(Request(case.text, case.paths, jobs=1))


def _said(candidate: Candidate) -> str:
    place = candidate.finding.place
    return f"{candidate.finding.code} {Path(place.filename).name}:{place.row}"


def verdict_of(candidates: Sequence[Candidate], case: Case) -> Verdict:
    """At which rank the cause of a case is told."""
    for rank, candidate in enumerate(candidates, 1):
        own = candidate.finding.place
        places = [own, *(other.place for other in candidate.finding.related)]
        rows = [(p.filename, row) for p in places for row in range(p.row, p.end_row + 1)]
        near = any(str(path) == name and abs(row - line) <= 1 for name, row in rows
                   for path, line in case.causes)  # fmt: skip
        if near:
            exact = any(
                str(path) == own.filename and own.row <= line <= own.end_row
                for path, line in case.causes
            )
            return Verdict(rank, exact)
    return Verdict(0, False)


def damaged(folder: Path, count: int) -> None:
    """Read damaged texts, and print how many are still understood."""
    texts = [file.read_text() for file in sorted(folder.glob("*.txt"))]
    chance, same = random.Random(0), 0
    for _ in range(count):
        text = chance.choice(texts)
        known, found = read(text), read(mutated(text, chance))
        same += (known and known.topic) == (found and found.topic)
    print(f"{count} damaged texts: none crashed, {same} ({same / count:.0%}) of the same class")


def timed(folder: Path, text: str) -> None:
    """Diagnose an error in a project, and print how long that takes."""
    sources = [file.read_bytes() for file in folder.rglob("*.py")]
    lines = sum(source.count(b"\n") for source in sources)
    begun, busy = time.perf_counter(), time.process_time()
    found = diagnose(Request(text, (folder,), jobs=1))
    taken, used = time.perf_counter() - begun, time.process_time() - busy
    files = found.files if found is not None else 0
    print(f"{lines} lines, {files} files looked at: {taken:.1f} s, {used:.1f} s of processor time")


if __name__ == "__main__":
    main()
