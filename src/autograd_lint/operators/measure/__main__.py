"""`python -m autograd_lint.operators.measure [--output FILE | --record FILE] [NAME...]`."""

import argparse
import pickle
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import torch

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.measure.functions import function_names, measure_function
from autograd_lint.operators.measure.layers import layer_names, measure_layer
from autograd_lint.operators.measure.names import homes
from autograd_lint.operators.measure.recording import record
from autograd_lint.operators.measure.writing import write
from autograd_lint.operators.table import PATH


def measure(names: Iterable[str]) -> Iterator[tuple[Operator, str]]:
    """The operators of those names that could be measured, each with its home."""
    layers = set(layer_names())
    for name in names:
        operator = measure_layer(name) if name in layers else measure_function(name)
        if operator is not None:
            yield operator, "l" if name in layers else homes(name)


def main(given: Sequence[str] | None = None) -> None:
    """Measure and write the table, or record calls that another torch is to be compared in.

    `given` are the arguments, those of the command line by default.
    """
    parser = argparse.ArgumentParser(prog="python -m autograd_lint.operators.measure")
    parser.add_argument("--output", default=str(PATH))
    parser.add_argument("--record")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args(given)
    torch.set_num_threads(1)
    start = time.perf_counter()
    wanted = arguments.names or [*function_names(), *layer_names()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if arguments.record:
            Path(arguments.record).write_bytes(pickle.dumps(record(wanted)))
            return
        found = list(measure(wanted))
    write(found, arguments.output)
    seconds = time.perf_counter() - start
    print(f"{len(found)} of {len(wanted)} operators in {seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
