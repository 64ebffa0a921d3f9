"""Whether the linter sees real bugs, in the state of the repository before each was fixed.

`python -m benchmarks.real_fixes real_fixes.json MIRRORS --trees FOLDER [--raw] [--json]`; MIRRORS
holds a git directory `owner+name/repo` for every repository. A bug is seen when a claim about the
file before stands on a cause line; a claim on a changed line of the file after is a false alarm, as
is one on a harmless line. Trees are unpacked into FOLDER once, and read, never run.
"""

import argparse
import fnmatch
import io
import json
import subprocess
import tarfile
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.claims import CRASH, Claim, claims
from benchmarks.corpora import errors_of, show, statement


@dataclass(frozen=True)
class Outcome:
    """One bug: seen or not, quiet after the fix or not, and all that was claimed."""

    name: str
    category: str
    needs: str
    right: bool
    quiet_after: bool
    before: list[str]
    after: list[str]


def unpack(mirror: Path, commit: str, trees: Path) -> Path:
    """The tree of a commit (its Python files), unpacked into a folder named after the commit."""
    folder = trees / commit
    if not folder.exists():
        command = ["git", "-C", str(mirror), "archive", commit, ":(glob)**/*.py"]
        packed = subprocess.run(command, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
    return folder


def touching(root: Path, path: str, lines: list[int], raw: bool) -> tuple[bool, list[Claim]]:
    """Whether a claim about a file stands on one of the lines, and all claims about it."""
    file = root / path
    found = errors_of(claims(file, raw, root, importers=True)) if file.exists() else []
    text = file.read_text(errors="replace") if file.exists() else ""
    here = [c for c in found if c.kind != CRASH and c.filename == str(file)]
    return any(statement(text, c.row) & set(lines) for c in here), found


def judge(bug: dict[str, object], mirrors: Path, trees: Path, raw: bool) -> Outcome:
    """A bug or a harmless change, judged before and after."""
    mirror = mirrors / str(bug["repo"]).replace("/", "+") / "repo"
    states = [unpack(mirror, str(bug[key]), trees) for key in ("before_commit", "after_commit")]
    path, harmless = str(bug["path"]), "harmless_lines_before" in bug
    wanted = bug["harmless_lines_before" if harmless else "cause_lines_before"]
    on, before = touching(states[0], path, list(wanted), raw)  # type: ignore[call-overload]
    changed: list[int] = [] if harmless else list(bug["changed_lines_after"])  # type: ignore[call-overload]
    still, after = touching(states[1], path, changed, raw)
    category = "harmless" if harmless else str(bug["category"])
    needs = str(bug.get("needs", ""))
    right = not on if harmless else on
    return Outcome(str(bug["id"]), category, needs, right, not still, show(before), show(after))


def table(outcomes: list[Outcome]) -> None:
    """Prints what was seen, by category and by the machinery that it needs."""
    print("\nright before / quiet after / all")
    for key in ("category", "needs"):
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for outcome in outcomes:
            if key == "needs" and outcome.category == "harmless":
                continue
            counts[getattr(outcome, key)].update(
                right=outcome.right, quiet=outcome.quiet_after, all=1
            )
        for group, count in sorted(counts.items(), key=lambda item: -item[1]["all"]):
            print(f"  {count['right']:3d} / {count['quiet']:3d} / {count['all']:3d}  {group}")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--trees", type=Path, required=True, help="where trees are unpacked")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="*")
    options = parser.parse_args()
    facts = json.loads(options.facts.read_text())
    wanted = [
        b for b in facts["bugs"] + facts["harmless"] if fnmatch.fnmatch(b["id"], options.only)
    ]
    outcomes = [judge(bug, options.mirrors, options.trees, options.raw) for bug in wanted]
    if options.json:
        print(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
        return
    for outcome in outcomes:
        mark = ("right" if outcome.right else "WRONG") + ("" if outcome.quiet_after else " NOISY")
        print(f"{mark} {outcome.name} [{outcome.category}, {outcome.needs}]")
        for state, lines in (("before", outcome.before), ("after", outcome.after)):
            for line in lines:
                print(f"      {state}: {line}")
    table(outcomes)


if __name__ == "__main__":
    main()
