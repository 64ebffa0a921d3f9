"""How the cost of a file grows with its size: one line for each worst case.

`python -m benchmarks.growth [KIND...] [--share 8]` checks programs of four sizes, the largest of
which is one in `share` of that in `KINDS`, and prints the CPU seconds of each and the exponent that
fits them best: 1 is linear. Everything is imported before.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.project.source import Source

HEAD = "import torch\nfrom torch import nn\n"
STEPS = 4  # sizes, each half of the next

Program = Callable[[int], str]


def _functions(size: int) -> str:
    return "".join(
        f"def f{i}(x):\n    y = x.exp()\n    y += {i}\n    return y\n" for i in range(size)
    )


def _callers(size: int) -> str:
    """Classes each of which makes and calls the one before it."""
    first = "class M0(nn.Module):\n    def forward(self, x):\n        return x * 2\n"
    more = (
        f"class M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.m = M{i - 1}()\n    def forward(self, x):\n        x = self.m(x).exp()\n"
        f"        x += 1\n        return x\n"
        for i in range(1, size)
    )
    return first + "".join(more)


def _layers(size: int) -> str:
    made = "".join(f"        self.l{i} = nn.Linear(2, 2)\n" for i in range(size))
    called = "".join(f"        x = self.l{i}(x)\n" for i in range(size))
    head = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    return f"{head}{made}    def forward(self, x):\n{called}        x += 1\n        return x\n"


def _lines(size: int) -> str:
    return "x = torch.ones(2, requires_grad=True)\n" + "y = x * 2\n" * size


def _nests(size: int) -> str:
    """Functions of conditions in each other, eight deep."""
    deep = "".join(f"{'    ' * (i + 1)}if a > {i}:\n" for i in range(8))
    one = f"(x, a):\n{deep}{'    ' * 9}x += 1\n    return x\n"
    return "".join(f"def f{i}{one}" for i in range(size))


KINDS: dict[str, tuple[Program, int]] = {
    "functions that write": (_functions, 5_000),
    "classes that call each other": (_callers, 500),
    "layers of one module": (_layers, 3_000),
    "straight lines": (_lines, 50_000),
    "conditions in each other": (_nests, 1_000),
}


def seconds(text: str) -> float:
    """What it costs to check a program."""
    begun = time.process_time()
    check_source(Source("program.py", HEAD + text), Settings())
    return time.process_time() - begun


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The power of the size that costs follow, by least squares of their logarithms."""
    points = [(math.log(size), math.log(cost)) for size, cost in zip(sizes, costs, strict=True)]
    middle = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    above = sum((x - middle[0]) * (y - middle[1]) for x, y in points)
    return above / sum((x - middle[0]) ** 2 for x, _ in points)


def main() -> None:
    """Print a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[])
    parser.add_argument("--share", type=int, default=8)
    options = parser.parse_args()
    for program, size in KINDS.values():
        seconds(program(min(size, 8)))
    for kind in options.kinds or KINDS:
        program, most = KINDS[kind]
        sizes = [most // options.share >> step for step in reversed(range(STEPS))]
        costs = [seconds(program(size)) for size in sizes]
        told = ", ".join(f"{size}: {cost:.2f} s" for size, cost in zip(sizes, costs, strict=True))
        print(f"{kind:32}{exponent(sizes, costs):5.2f}   {told}", flush=True)


if __name__ == "__main__":
    main()
