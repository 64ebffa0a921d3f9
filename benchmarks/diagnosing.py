"""Whether `diagnose` leads from an error to its cause: figures over errors, fixes, threads, texts.

`python -m benchmarks.diagnosing errors FOLDER [--traces FILE]`: each program of FOLDER
(`fixtures/cases/engine/errors` and the like) runs on torch for its real traceback, in a child of
its own; its cause line is to be first, given the whole traceback, that of anomaly mode, and the
last line alone. `--traces` keeps what was printed.

`... fixes FACTS MIRRORS --trees FOLDER [--project]`: real bugs with an error text, as recorded; the
cause is to be among the first three given the file, among the first five given the whole project.
MIRRORS and `--trees` are those of `benchmarks.real_fixes`.

`... threads FOLDER [--traces FILE]`: users' questions as programs, each with a `case.json`: the
traceback and the cause stand in it, or the program is `buggy.py` and runs for its traceback.

`... texts FOLDER [--count N]`: N damaged variants of the printed errors of the threads in FOLDER;
none may crash. Also prints what share is still read as the same class.

Lines that are missed are listed with `--list`. A place counts where the finding, or a place that it
relates to, is within a line of the cause; `exactly` where the finding's own statement is on it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import runpy
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.diagnosis.diagnosing import Request, diagnose
from autograd_lint.diagnosis.ranking import Candidate
from autograd_lint.diagnosis.reading import read

LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Case:
    """An error, the files to look in, and where its cause is: files with their lines."""

    name: str
    text: str
    paths: tuple[Path, ...]
    causes: tuple[tuple[Path, int], ...]


@dataclass(frozen=True)
class Verdict:
    """The rank of the cause, 0 where it is not told, and whether the place is exact."""

    rank: int
    exact: bool


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("errors", "fixes", "threads", "texts"))
    parser.add_argument("folder", type=_path, help="a folder of programs, or a file of facts")
    parser.add_argument("mirrors", type=_path, nargs="?")
    parser.add_argument("--trees", type=_path)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--project", action="store_true")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.what == "texts":
        damaged(options.folder, options.count)
        return
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
    return threads(options.folder, options.traces)


def judged(kind: str, cases: Sequence[Case], listing: bool) -> None:
    """Diagnose every case, and print at which rank its cause is told."""
    ranks: Counter[int] = Counter()
    exact = 0
    for case in cases:
        found = diagnose(Request(case.text, case.paths, jobs=1))
        candidates = found.ranked.candidates if found is not None else ()
        verdict = verdict_of(candidates, case)
        ranks[verdict.rank] += 1
        exact += verdict.exact and verdict.rank == 1
        if listing and verdict.rank != 1:
            topic = found.evidence.topic.name if found is not None else "not read"
            told = [f"{one.finding.code}:{one.finding.place.row}" for one in candidates[:5]]
            wanted = sorted({row for _, row in case.causes})
            print(f"  {verdict.rank or 'missed'} {case.name} [{topic}] wanted {wanted} got {told}")
            sys.stdout.flush()
    total = len(cases) or 1
    shares = {most: sum(ranks[rank] for rank in range(1, most + 1)) for most in (1, 3, 5)}
    told = ", ".join(f"first {most}: {n} ({n / total:.0%})" for most, n in shares.items())
    print(f"{kind}: {len(cases)} errors; {told}; first and exactly: {exact} ({exact / total:.0%})")


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


def errors(folder: Path, traces: Path | None) -> dict[str, list[Case]]:
    """The programs that raise, each with what torch prints of it in three forms."""
    printed = _traces(sorted(folder.glob("*.py")), traces)
    found: dict[str, list[Case]] = {"traceback": [], "anomaly mode": [], "last line": []}
    for file in sorted(folder.glob("*.py")):
        head = dict(re.findall(r"(?m)^# (\w+): (.*)$", file.read_text()))
        plain, anomaly = printed[str(file)]
        if "Traceback" not in plain or "cause_line" not in head:
            continue
        rows = [head["cause_line"], *filter(None, head.get("also_line", "").split(", "))]
        causes = tuple((file, int(row)) for row in rows)
        for kind, text in (
            ("traceback", plain),
            ("anomaly mode", anomaly),
            ("last line", last(plain)),
        ):
            found[kind].append(Case(file.name, text, (file,), causes))
    return found


def last(text: str) -> str:
    """The exception of a traceback without its frames."""
    lines = text[text.rfind("Traceback (most recent") :].splitlines()[1:]
    return "\n".join(line for line in lines if line.strip() and not line.startswith("  "))


def _traces(files: Sequence[Path], kept: Path | None) -> dict[str, list[str]]:
    """What torch prints when programs are run, plain and under anomaly mode, by their names."""
    if kept is not None and kept.exists():
        known: dict[str, list[str]] = json.loads(kept.read_text())
        return known
    found = {str(file): [printed_by(file, False), printed_by(file, True)] for file in files}
    if kept is not None:
        kept.write_text(json.dumps(found, indent=1))
    return found


def printed_by(file: Path, anomaly: bool) -> str:
    """What Python prints when a program is run, under anomaly mode or not."""
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            _run(file, anomaly, output.fileno())
        os.waitpid(child, 0)
        output.seek(0)
        return output.read().decode(errors="replace")


def _run(file: Path, anomaly: bool, output: int) -> None:
    """Run a program in this process, which ends with it."""
    import torch

    try:
        signal.alarm(LIMIT_SECONDS)
        os.dup2(output, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            torch.autograd.set_detect_anomaly(anomaly)
            sys.path.insert(0, str(file.parent))
            try:
                runpy.run_path(str(file), run_name="__main__")
            except BaseException:
                traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(0)


def fixes(facts: Path, mirrors: Path, trees: Path, project: bool) -> Iterator[Case]:
    """The real bugs that raise, each with its text alone."""
    from benchmarks.real_fixes import unpack

    for bug in json.loads(facts.read_text())["bugs"]:
        text = error_of(bug)
        mirror = mirrors / bug["repo"].replace("/", "+") / "repo"
        mirror = mirror / ".git" if (mirror / ".git").exists() else mirror
        if text is None or not mirror.exists():
            continue
        root = unpack(mirror, bug["before_commit"], trees)
        (root / "pyproject.toml").touch()
        file = root / bug["path"]
        causes = tuple((file, line) for line in bug["cause_lines_before"])
        yield Case(bug["id"], text, (root if project else file,), causes)


def error_of(bug: dict[str, object]) -> str | None:
    """The text of the error of a bug: what torch printed, else what is recorded; None if silent."""
    confirmed = bug.get("confirmed")
    before = str(confirmed.get("before") or "") if isinstance(confirmed, dict) else ""
    for text in (before, str(bug.get("error_message") or "")):
        if re.match(r"\w*Error\b", text):
            return text
    return None


def threads(folder: Path, traces: Path | None) -> dict[str, list[Case]]:
    """Users' threads, re-created as programs: with the traceback, and with its last line."""
    found: dict[str, list[Case]] = {"traceback": [], "last line": [], "as quoted": []}
    printed = _traces(sorted(folder.glob("*/buggy.py")), traces)
    for file in sorted(folder.glob("*/case.json")):
        case = json.loads(file.read_text())
        program = file.parent / "buggy.py"
        if program.exists():
            text = printed[str(program)][0]
            rows = [*case["cause_lines"], *case["also_ok_lines"]]
            causes = [(program, row) for row in rows]
            for kind, said in (("traceback", text), ("last line", last(text))):
                if "Traceback" in text:
                    found[kind].append(Case(file.parent.name, said, (program,), tuple(causes)))
            continue
        if case.get("kind") == "silent" or "cause" not in case:
            continue
        root = file.parent
        causes = [(root / case["cause"]["file"], line) for line in case["cause"]["lines"]]
        causes += [(root / name, line) for name, line in case.get("also_accept", [])]
        paths = tuple(sorted(one for one in root.rglob("*.py") if "fixed" not in one.parts))
        texts = {"traceback": case.get("traceback"), "last line": case.get("error")}
        texts["as quoted"] = case.get("reported_error")
        for kind, text in texts.items():
            if text:
                found[kind].append(Case(case["id"], text, paths, tuple(causes)))
    return found


def damaged(folder: Path, count: int) -> None:
    """Read damaged texts, and print how many are still understood."""
    cases = [json.loads(file.read_text()) for file in sorted(folder.glob("*/case.json"))]
    texts = [case[key] for case in cases for key in ("traceback", "traceback_anomaly", "error")
             if case.get(key)]  # fmt: skip
    chance, same = random.Random(0), 0
    for _ in range(count):
        text = chance.choice(texts)
        known, found = read(text), read(mutated(text, chance))
        same += (known and known.topic) == (found and found.topic)
    print(f"{count} damaged texts: none crashed, {same} ({same / count:.0%}) of the same class")


def mutated(text: str, chance: random.Random) -> str:
    """A text as it may arrive: cut, wrapped, prefixed, mixed up."""
    for _ in range(chance.randint(1, 3)):
        text = chance.choice(_MUTATIONS)(text, chance)
    return text


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[at:] if chance.random() < 0.5 else text[:at]


def _wrapped(text: str, chance: random.Random) -> str:
    width = chance.randint(20, 120)
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def _prefixed(text: str, chance: random.Random) -> str:
    prefix = chance.choice(("[rank0]: ", "2026-01-01 00:00:00,1 - ERROR - ", "> ", "\t", "0: "))
    return "\n".join(prefix + line for line in text.splitlines())


def _dropped(text: str, chance: random.Random) -> str:
    return "\n".join(line for line in text.splitlines() if chance.random() < 0.7)


def _shuffled(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    chance.shuffle(lines)
    return "\n".join(lines)


def _scrambled(text: str, chance: random.Random) -> str:
    letters = list(text)
    for _ in range(chance.randint(1, 20) if letters else 0):
        letters[chance.randrange(len(letters))] = chr(
            chance.choice((0, 9, 10, 27, 34, 92, 0x1F4A5))
        )
    return "".join(letters)


def _doubled(text: str, chance: random.Random) -> str:
    return text + "\nDuring handling of the above exception, another exception occurred:\n" + text


def _joined(text: str, chance: random.Random) -> str:
    return " ".join(text.split())


_MUTATIONS = (_cut, _wrapped, _prefixed, _dropped, _shuffled, _scrambled, _doubled, _joined)


if __name__ == "__main__":
    main()
