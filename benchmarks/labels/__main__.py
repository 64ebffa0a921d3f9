"""What labels teach.

`python -m benchmarks.labels check BASES [--write]` runs the tool on the labelled files of the code
bases that lie in the folder BASES (a repository as `owner+name`, a package as `name-version`), and
says of each label whether its finding is still told, and how. `--write` keeps that in `told.jsonl`.
`python -m benchmarks.labels fit` writes what the labels of the fitting half have shown into
`evidence/kinds.toml`, and how right each rule was in both halves into `rules/precision.json`.
`python -m benchmarks.labels report` says how right the tool is on the other half.
`python -m benchmarks.labels sets` says how right it was on each set of code bases at first sight.
"""

import argparse
from collections import defaultdict
from pathlib import Path

from autograd_lint.evidence.counts import PATH, load
from autograd_lint.rules.precision import PATH as RIGHT
from benchmarks.labels import checking, first_sight, fitting, precision, reading, reporting

HALVES = ("fit", "report")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="action", required=True)
    checked = commands.add_parser("check")
    checked.add_argument("bases", type=Path)
    checked.add_argument("--write", action="store_true", help="keep what is told")
    checked.add_argument("--only", default="", help="code bases whose name has this in it")
    checked.add_argument("--half", choices=HALVES, help="code bases of one half")
    checked.add_argument("--new", action="store_true", help="code bases that were never run")
    commands.add_parser("fit")
    commands.add_parser("sets")
    reported = commands.add_parser("report")
    reported.add_argument("--half", choices=HALVES, default="report")
    options = parser.parse_args()
    if options.action == "check":
        wanted = [one for one in reading.labels() if options.only in one.spot.base]
        if options.half:
            wanted = [one for one in wanted if one.spot.fits is (options.half == "fit")]
        check(options.bases, wanted, write=options.write, new=options.new)
    elif options.action == "fit":
        read = reading.causes_read()
        found, gone = reading.learnt(fits=True), reading.gone(fits=True)
        text = fitting.as_toml(found, gone, read, reading.planted())
        PATH.write_text(text, encoding="utf-8")
        load.cache_clear()  # how sure each finding is goes by what was fitted
        RIGHT.write_text(precision.as_json(), encoding="utf-8")
    elif options.action == "sets":
        print("\n".join(first_sight.table()))
    else:
        found = reading.learnt(fits=options.half == "fit")
        print("\n".join(reporting.report(found)))


def check(bases: Path, wanted: list[reading.Label], *, write: bool, new: bool) -> None:
    """Run the tool on the labelled files that are there."""
    by_base: dict[tuple[str, str], list[reading.Label]] = defaultdict(list)
    known = reading.told()
    for one in wanted:
        by_base[one.spot.base, one.spot.state].append(one)
    for (base, state), labels in sorted(by_base.items()):
        folder = reading.folder_of(base, state, bases)
        there = [one for one in labels if (folder / one.spot.file).is_file()]
        done = new and all(one.spot in known for one in labels)
        if not there or done:
            continue
        print(base, state, flush=True)
        found = checking.findings(folder, there)
        for one in there:
            print(f"  {checking.line(one, found.get(one.spot))}", flush=True)
        if write:
            reading.keep({one.spot: checking.told_of(found.get(one.spot)) for one in there})


if __name__ == "__main__":
    main()
