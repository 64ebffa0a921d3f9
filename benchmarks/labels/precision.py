"""How right each rule was, at each certainty and in each half of the code bases."""

import json
from collections import defaultdict

from autograd_lint.rules.precision import HALVES, LEVELS
from benchmarks.labels import reading, reporting


def as_json() -> str:
    """The counts of all rules, as the package reads them."""
    found: dict[str, dict[str, dict[str, list[int]]]] = defaultdict(lambda: defaultdict(dict))
    for half in HALVES:
        fits = half == "fitting"
        read = [one for one in reading.learnt(fits=fits) if not one.label.fixed]
        for level in LEVELS:
            for one in reporting.causes(read, level):
                counts = found[one.signs.code][half].setdefault(level, [0, 0, 0])
                counts[reporting.VERDICTS.index(one.label.verdict)] += 1
    lines = (f"  {json.dumps(code)}: {json.dumps(found[code])}" for code in sorted(found))
    return "{\n" + ",\n".join(lines) + "\n}\n"
