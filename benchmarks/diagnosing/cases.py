"""Errors with known causes: programs that raise, real bugs, questions of users."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.diagnosing.printing import last, traces
from benchmarks.labels.reading import is_for_fitting


@dataclass(frozen=True)
class Case:
    """An error, the files to look in, and where its cause is: files with their lines.

    `mended_on` says that the tool may be tuned on it; what is kept apart is only measured. Which is
    which is told by a hash of the repository, or of where the question was asked.
    """

    name: str
    text: str
    paths: tuple[Path, ...]
    causes: tuple[tuple[Path, int], ...]
    mended_on: bool = True


def errors(folder: Path, kept: Path | None) -> dict[str, list[Case]]:
    """The programs that raise, each with what torch prints of it in three forms."""
    printed = traces(sorted(folder.glob("*.py")), kept)
    found: dict[str, list[Case]] = {"traceback": [], "anomaly mode": [], "last line": []}
    for file in sorted(folder.glob("*.py")):
        plain, anomaly = printed[str(file)]
        causes = _causes(file)
        if "Traceback" not in plain or not causes:
            continue
        for kind, text in (
            ("traceback", plain),
            ("anomaly mode", anomaly),
            ("last line", last(plain)),
        ):
            found[kind].append(Case(file.name, text, (file,), causes))
    return found


def _head(file: Path) -> dict[str, str]:
    """The `# key: value` lines at the head of a program."""
    return dict(re.findall(r"(?m)^# (\w+): (.*)$", file.read_text()))


def _causes(file: Path) -> tuple[tuple[Path, int], ...]:
    head = _head(file)
    rows = [head.get("cause_line", ""), *head.get("also_line", "").split(", ")]
    return tuple((file, int(row)) for row in rows if row)


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
        mended_on = is_for_fitting(bug["repo"].rpartition("/")[2])
        yield Case(bug["id"], text, (root if project else file,), causes, mended_on)


def error_of(bug: dict[str, object]) -> str | None:
    """The text of the error of a bug: what torch printed, else what is recorded; None if silent."""
    confirmed = bug.get("confirmed")
    before = str(confirmed.get("before") or "") if isinstance(confirmed, dict) else ""
    for text in (before, str(bug.get("error_message") or "")):
        if re.match(r"\w*Error\b", text):
            return text
    return None


def silent(source: Path, mirrors: Path | None, trees: Path | None) -> Iterator[Case]:
    """What raises nothing, with the symptom as its text: the programs of a folder, or the real
    bugs of a file of facts, each given its file."""
    if source.is_dir():
        for file in sorted(source.glob("*.py")):
            if causes := _causes(file):
                yield Case(file.name, symptom_of(_head(file).get("class", "")), (file,), causes)
        return
    from benchmarks.real_fixes import unpack

    for bug in json.loads(source.read_text())["bugs"]:
        if mirrors is None or trees is None or error_of(bug) is not None:
            continue
        mirror = mirrors / bug["repo"].replace("/", "+") / "repo"
        mirror = mirror / ".git" if (mirror / ".git").exists() else mirror
        if mirror.exists():
            file = unpack(mirror, bug["before_commit"], trees) / bug["path"]
            causes = tuple((file, line) for line in bug["cause_lines_before"])
            symptom = symptom_of(f"{bug['category']} {bug.get('error_message') or ''}")
            mended_on = is_for_fitting(bug["repo"].rpartition("/")[2])
            yield Case(bug["id"], symptom, (file,), causes, mended_on)


def symptom_of(told: str) -> str:
    """The symptom of a silent mistake, by its class or by what was seen of it."""
    if re.search(r"memory|graph-accumulation", told):
        return "memory"
    return "nan" if "nan" in told else "not-learning"


def threads(folder: Path, kept: Path | None) -> dict[str, list[Case]]:
    """Users' threads, re-created as programs: with the traceback, and with its last line."""
    found: dict[str, list[Case]] = {"traceback": [], "last line": [], "as quoted": []}
    for kind, case in (*_printed_beside(folder), *_run(folder, kept), *_told(folder)):
        found[kind].append(case)
    return found


def _printed_beside(folder: Path) -> Iterator[tuple[str, Case]]:
    """Programs with what torch printed of them in a file beside."""
    for file in sorted(folder.glob("*.txt")):
        program = file.with_suffix(".py")
        text, mended_on = file.read_text(), is_for_fitting(_head(program)["source"])
        for kind, said in (("traceback", text), ("last line", last(text))):
            yield kind, Case(file.stem, said, (program,), _causes(program), mended_on)


def _run(folder: Path, kept: Path | None) -> Iterator[tuple[str, Case]]:
    """Programs `buggy.py`, which run for what they print."""
    programs = sorted(folder.glob("*/buggy.py"))
    printed = traces(programs, kept) if programs else {}
    for program in programs:
        case = json.loads((program.parent / "case.json").read_text())
        text = printed[str(program)][0]
        causes = tuple((program, row) for row in (*case["cause_lines"], *case["also_ok_lines"]))
        for kind, said in (("traceback", text), ("last line", last(text))):
            if "Traceback" in text:
                yield kind, Case(program.parent.name, said, (program,), causes)


def _told(folder: Path) -> Iterator[tuple[str, Case]]:
    """Programs of several files with a `case.json` that has what was printed."""
    for file in sorted(folder.glob("*/case.json")):
        case, root = json.loads(file.read_text()), file.parent
        if case.get("kind") == "silent" or "cause" not in case:
            continue
        causes = [(root / case["cause"]["file"], line) for line in case["cause"]["lines"]]
        causes += [(root / name, line) for name, line in case.get("also_accept", [])]
        paths = tuple(sorted(one for one in root.rglob("*.py") if "fixed" not in one.parts))
        texts = {"traceback": case.get("traceback"), "last line": case.get("error")}
        texts["as quoted"] = case.get("reported_error")
        for kind, text in texts.items():
            if text:
                yield kind, Case(case["id"], text, paths, tuple(causes))
