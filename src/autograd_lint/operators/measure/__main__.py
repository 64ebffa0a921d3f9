"""`python -m autograd_lint.operators.measure [--output FILE] [NAME...]`."""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator

import torch

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.measure.functions import function_names, measure_function
from autograd_lint.operators.measure.layers import layer_names, measure_layer
from autograd_lint.operators.measure.names import homes
from autograd_lint.operators.measure.writing import write
from autograd_lint.operators.table import PATH


def measure(names: Iterable[str]) -> Iterator[tuple[Operator, str]]:
    """The operators of those names that could be measured, each with its home."""
    layers = set(layer_names())
    for name in names:
        operator = measure_layer(name) if name in layers else measure_function(name)
        if operator is not None:
            yield operator, "l" if name in layers else homes(name)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m autograd_lint.operators.measure")
    parser.add_argument("--output", default=str(PATH))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    start = time.perf_counter()
    wanted = arguments.names or [*function_names(), *layer_names()]
    found = list(measure(wanted))
    write(found, arguments.output)
    seconds = time.perf_counter() - start
    print(f"{len(found)} of {len(wanted)} operators in {seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
