"""How right the linter is on programs with known truth.

`python -m benchmarks.corpora FOLDER [--raw] [--json] [--halves] [--only PATTERN]`; FOLDER holds any
of `engine/`, `seed_*`, `open/`, `silent_families/` (`fixtures/cases` holds the first two).
"""

import argparse
import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from autograd_lint.live.messages import classify
from benchmarks.claims import CRASH, Claim, claims

Ask = Callable[[Path], list[Claim]]


@dataclass(frozen=True)
class Case:
    """One judged file: was it right, and what had been expected and claimed."""

    corpus: str
    name: str
    group: str
    right: bool
    expected: str
    claimed: list[str]


def header(path: Path) -> dict[str, str]:
    """The `# key: value` lines at the head of a program."""
    return dict(re.findall(r"^# (\w+): (.*)$", path.read_text(), re.M))


def judge_all(root: Path, ask: Ask, only: str = "*") -> Iterator[Case]:
    """Every case of every corpus under `root`."""
    for path in sorted((root / "engine" / "errors").glob(f"{only}.py")):
        yield judge_error(path, ask)
    for path in sorted((root / "engine" / "ok").glob(f"{only}.py")):
        yield judge_clean("engine/ok", path, ask, "ok")
    for path in sorted((root / "engine" / "silent").glob(f"{only}.py")):
        yield judge_silent(path, ask)
    for folder in sorted([*root.glob(f"seed_{only}"), *root.glob(f"open/{only}")]):
        yield from judge_folder(folder, ask)
    for path in sorted((root / "silent_families" / "bad").glob(f"{only}.py")):
        found = errors_of(ask(path))
        flagged = any(claim.kind != CRASH for claim in found)
        yield Case("silent_families/bad", path.stem, "bad", flagged, "anything", show(found))
    for path in sorted((root / "silent_families" / "good").glob(f"{only}.py")):
        yield judge_clean("silent_families/good", path, ask, "good")


def errors_of(found: list[Claim]) -> list[Claim]:
    """The claims without those about suppressions and parse errors (AG9xx)."""
    return [claim for claim in found if not claim.code.startswith("AG9")]


def judge_error(path: Path, ask: Ask) -> Case:
    """A program that raises: right when predicted with the right kind and at the right place."""
    head = header(path)
    kind = classify(head["error"].replace("\\", ""))
    wanted = kind.value if kind else "other"
    found = errors_of(ask(path))
    right = any(predicts(claim, wanted, head) for claim in found)
    expected = f"{wanted} raise {head['raise_line']} cause {head['cause_line']}"
    group = f"{head['class']}/{head['static']}"
    return Case("engine/errors", path.stem, group, right, expected, show(found))


def predicts(claim: Claim, wanted: str, head: dict[str, str]) -> bool:
    """Whether a claim foresees the error of a header."""
    if claim.kind == CRASH or (wanted != "other" and claim.kind != wanted):
        return False
    return claim.raise_row == int(head["raise_line"]) or int(head["cause_line"]) in claim.rows


def judge_clean(corpus: str, path: Path, ask: Ask, group: str) -> Case:
    """A program that deserves no finding."""
    found = errors_of(ask(path))
    name = path.stem if path.stem not in ("clean", "fixed") else f"{path.parent.name}/{path.stem}"
    return Case(corpus, name, group, not found, "nothing", show(found))


def judge_silent(path: Path, ask: Ask) -> Case:
    """A silent pitfall: right when a claim points at its cause line."""
    head = header(path)
    found = errors_of(ask(path))
    right = any(int(head["cause_line"]) in claim.rows for claim in found)
    group = f"{head['class']}/{head['static']}"
    return Case(
        "engine/silent", path.stem, group, right, f"cause {head['cause_line']}", show(found)
    )


def judge_folder(folder: Path, ask: Ask) -> Iterator[Case]:
    """A folder with a `case.json`: the buggy program, and the fixed or clean one."""
    case = json.loads((folder / "case.json").read_text())
    corpus = "seeds" if folder.name.startswith("seed_") else "open"
    if case["outcome"] != "clean":
        yield judge_buggy(f"{corpus}/buggy", folder, case, ask)
    for path in (folder / "fixed.py", folder / "clean.py"):
        if path.exists():
            yield judge_clean(f"{corpus}/{path.stem}", path, ask, case["category"])


def judge_buggy(corpus: str, folder: Path, case: dict[str, object], ask: Ask) -> Case:
    """Right when a claim's primary place stands on a cause line, or on one that is also fine."""
    path = folder / "buggy.py"
    text = path.read_text()
    allowed = {*case["cause_lines"], *case["also_ok_lines"]}  # type: ignore[misc]
    found = errors_of(ask(path))
    right = any(allowed & statement(text, claim.row) for claim in found if claim.kind != CRASH)
    group = f"{case['category']}/{case['needs']}/{case['outcome']}"
    expected = (
        f"cause {case['cause_lines']} also {case['also_ok_lines']} raise {case.get('raise_line')}"
    )
    return Case(corpus, folder.name, group, right, expected, show(found))


def statement(text: str, row: int) -> set[int]:
    """The rows of the simple statement around a row; the row alone in text that does not parse."""
    best = {row}
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return best
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            rows = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            if row in rows:
                best = rows
    return best


def show(found: list[Claim]) -> list[str]:
    """The claims in a line each."""
    return [
        f"{c.code} {c.kind} {c.row} raise {c.raise_row} {sorted(c.rows)} {c.certainty}: {c.text}"
        for c in found
    ]


def table(cases: list[Case]) -> None:
    """Prints how many are right, by corpus and by group."""
    for corpus in dict.fromkeys(case.corpus for case in cases):
        mine = [case for case in cases if case.corpus == corpus]
        right = sum(case.right for case in mine)
        print(f"\n{corpus}: {right}/{len(mine)} ({right / len(mine):.0%})")
        groups: dict[str, Counter[bool]] = defaultdict(Counter)
        for case in mine:
            groups[case.group][case.right] += 1
        if len(groups) > 1:
            for group, counts in sorted(groups.items(), key=lambda item: -sum(item[1].values())):
                print(f"    {counts[True]:3d}/{sum(counts.values()):<3d} {group}")


def half(name: str) -> str:
    """To which half a program belongs, by its name: `fit` to mend on, `report` only to measure."""
    return "fit" if int(sha256(name.lower().encode()).hexdigest()[0], 16) % 2 == 0 else "report"


def symptom(case: Case) -> str:
    """How a wrong program shows that it is wrong; empty for a correct one."""
    if case.corpus == "engine/errors" or case.group.endswith("/raises"):
        return "raises"
    wrong = case.corpus in ("engine/silent", "silent_families/bad")
    return "silent" if wrong or case.group.endswith("/silent") else ""


def halves(cases: list[Case]) -> None:
    """Prints how many of what raises and of what is silent are told, in each half."""
    for wanted in ("raises", "silent"):
        for part in ("fit", "report"):
            mine = [one for one in cases if symptom(one) == wanted and half(one.name) == part]
            told = sum(one.right for one in mine)
            print(f"{wanted}, {part}: {told}/{len(mine)} ({told / max(len(mine), 1):.0%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--halves", action="store_true", help="by a hash of the names")
    parser.add_argument(
        "--raw", action="store_true", help="the interpreter's faults, without rules"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="*", help="a pattern for the names of cases")
    options = parser.parse_args()
    cases = list(judge_all(options.folder, lambda path: claims(path, options.raw), options.only))
    if options.halves:
        halves(cases)
        return
    if options.json:
        print(json.dumps([asdict(case) for case in cases], indent=1))
        return
    print("\nWrong:")
    for case in cases:
        if not case.right:
            print(f"  {case.corpus} {case.name} [{case.group}] expected {case.expected}")
            for line in case.claimed:
                print("        " + line.replace("\n", "\n          "))
    table(cases)


if __name__ == "__main__":
    main()
