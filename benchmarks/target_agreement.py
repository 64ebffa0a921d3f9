"""Whether the table of a version of torch is true: `python -m benchmarks.target_agreement CALLS`,
run by an interpreter that has that torch.

Random calls of every operator, from the samples of that torch's own test suite, are run, and what
is seen is held against the form that the table of this version has for them. What the table of the
newest version would say is told as well.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import torch

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.measure.names import resolve
from autograd_lint.operators.measure.probe import probe
from autograd_lint.operators.measure.trials import Case
from autograd_lint.operators.table import Table, load, versions
from benchmarks.unknown_arguments import ASPECTS, calls, fits

_MOST = 40  # calls that are made of an operator, of which some are drawn


def cases(name: str, count: int, chance: random.Random) -> list[Case]:
    """What is seen of some calls of an operator on the torch that runs."""
    there = hasattr(torch.nn, name[3:]) if name.startswith("nn.") and name[3:4].isupper() else None
    if there is False or (there is None and resolve(name) is None):
        return []
    made = list(islice(calls(name), _MOST))
    chance.shuffle(made)
    return [case for call in made[:count] if (case := probe(call)) is not None]


def judged(operator: Operator, case: Case) -> Iterator[tuple[str, bool]]:
    """Every aspect of every trial of a call, and whether the table says the same."""
    form = operator.select(case.kinds)
    for trial in case.trials:
        for aspect in ASPECTS:
            yield aspect, fits(aspect, form, trial, case)


def main(count: int, names: list[str]) -> None:
    """Print how often the tables of this version and of the newest are right."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    version = ".".join(torch.__version__.split(".")[:2])
    tables = {version: load(version), versions()[-1]: load(versions()[-1])}
    chance, asked, right = random.Random(0), Counter[str](), Counter[tuple[str, str]]()
    wrong: Counter[str] = Counter()
    for name in names or sorted(tables[version]):
        for case in cases(name, count, chance):
            for known, table in tables.items():
                _count(known, table, name, case, asked, right, wrong)
    for known in tables:
        total = sum(asked[f"{known} {aspect}"] for aspect in ASPECTS)
        found = sum(right[known, aspect] for aspect in ASPECTS)
        shares = ", ".join(
            f"{aspect} {right[known, aspect]} of {asked[f'{known} {aspect}']}" for aspect in ASPECTS
        )
        print(f"torch {torch.__version__}, table of {known}: {found} of {total} ({shares})")
    print("most often wrong:", ", ".join(f"{name} {n}" for name, n in wrong.most_common(12)))


def _count(
    known: str,
    table: Table,
    name: str,
    case: Case,
    asked: Counter[str],
    right: Counter[tuple[str, str]],
    wrong: Counter[str],
) -> None:
    if name not in table:
        return
    for aspect, fit in judged(table.operator(name), case):
        asked[f"{known} {aspect}"] += 1
        right[known, aspect] += fit
        wrong[f"{known}:{name}"] += not fit


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
