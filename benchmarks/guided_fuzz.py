"""Damaged programs and notebooks, led by coverage: what comes to new lines of the checker is kept.

`pip install atheris`, then `python -m benchmarks.guided_fuzz FOLDER [-max_total_time=600]`: inputs
that are worth keeping are written to FOLDER, options are libFuzzer's. An input that makes the
checker crash, hang or write a fix that harms ends the run with the input in `crash-*`. Every input
is judged as by `benchmarks.fuzz`; an odd first byte makes a notebook of it.
"""

import sys
from collections import Counter

import atheris

NAMES = ("fuzzed.py", "fuzzed.ipynb")
# Checked first, so that what is imported late is instrumented as well.
FIRST = b"import torch\nw = torch.ones(3, requires_grad=True)\nw += 1\nw.sum().backward()\n"

with atheris.instrument_imports(include=["autograd_lint"]):
    from benchmarks.fuzz import Trial

    Trial(NAMES[0], FIRST, Counter()).complaint()


def judge(data: bytes) -> None:
    """Check one input; raises AssertionError with what is wrong."""
    name = NAMES[data[0] % len(NAMES)] if data else NAMES[0]
    complaint = Trial(name, data[1:], Counter()).complaint()
    assert not complaint, complaint


def main() -> None:
    """Fuzz, with the options of the command line."""
    atheris.Setup(sys.argv, judge)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
