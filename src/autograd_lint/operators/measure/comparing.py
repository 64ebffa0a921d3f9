"""What another torch does differently from the table:
`python -m autograd_lint.operators.measure.comparing RECORDS FILE [NAME...]`, run on that torch.

RECORDS is what `recording` wrote on the torch of the table. The same calls are made again; where
something else is seen, the forms of the operator are learnt anew.
"""

import pickle
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import torch

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.measure import functions, layer_samples, layers
from autograd_lint.operators.measure.__main__ import measure
from autograd_lint.operators.measure.calls import Call
from autograd_lint.operators.measure.layer_samples import LayerSample
from autograd_lint.operators.measure.names import homes, resolve
from autograd_lint.operators.measure.probe import probe
from autograd_lint.operators.measure.public import public_names
from autograd_lint.operators.measure.recording import Recorded, Records, restored
from autograd_lint.operators.measure.signatures import signature_of
from autograd_lint.operators.measure.split import learn
from autograd_lint.operators.measure.trials import Case
from autograd_lint.operators.measure.writing import write_differences
from autograd_lint.operators.table import Table, load

_Ask = Callable[[str, Sequence[bytes]], tuple[Operator, str] | None]


def is_missing(name: str, table: Table) -> bool:
    """Whether the torch that runs has no operator of that name."""
    if table.is_layer(name):
        return not hasattr(torch.nn, name.rpartition(".")[2])
    return resolve(name) is None


def different(operator: Operator, saved: Sequence[bytes]) -> Operator | None:
    """An operator as it is on the torch that runs; None where it does the same in all recorded
    calls.

    A call that this torch refuses altogether tells nothing.
    """
    recorded = list(map(restored, saved))
    before = [one.case for one in recorded]
    after = [_again(operator.name, one) for one in recorded]
    if all(_same(*pair) for pair in zip(before, after, strict=True)):
        return None
    forms = learn(after)
    return None if forms == learn(before) else replace(operator, forms=forms)


def _same(before: Case, after: Case) -> bool:
    return (before.trials, before.refused) == (after.trials, after.refused)


def _again(name: str, recorded: Recorded) -> Case:
    call = _call(name, recorded)
    found = probe(call) if call is not None else None
    if found is None:
        return recorded.case
    return replace(found, kinds=recorded.case.kinds, listed=recorded.case.listed)


def _call(name: str, recorded: Recorded) -> Call | None:
    sample = recorded.sample
    if isinstance(sample, LayerSample):
        calls = layers.layer_calls(layer_samples.layer(name), sample)
        return next((one for one in calls if one.module.training == recorded.training), None)
    function = resolve(name)
    return functions.call(name, *sample, signature_of(name, function))


def differences(
    records: Records, table: Table, names: Iterable[str], ask: _Ask
) -> Iterator[tuple[str, Operator | None, str]]:
    """Which operators of those names differ from the table, as `ask` tells of one and its recorded
    calls: name, what they are here (None: there is none), and their home."""
    for name in sorted(set(names)):
        if name in table and is_missing(name, table):
            yield name, None, ""
        elif found := ask(name, records.calls.get(name, [])):
            yield name, *found


def _compared(name: str, saved: Sequence[bytes]) -> tuple[Operator, str] | None:
    """An operator that differs from the table, or is none of it, with its home; None for others."""
    table = load()
    if name not in table:
        return next(measure([name]), None)
    found = different(table.operator(name), saved)
    return (found, "l" if table.is_layer(name) else homes(name)) if found else None


def _matters(name: str, table: Table) -> bool:
    """Whether a name may tell of autograd: of what tensors have, only what the table knows."""
    home, _, last = name.rpartition(".")
    return home != "torch.Tensor" or last in table.properties or table.is_tensor_method(last)


def _every_name(table: Table) -> Iterator[str]:
    """All operators of the table, and of the torch that runs."""
    yield from table
    yield from layer_samples.names()
    yield from (name for name in functions.function_names() if not name.startswith("torch."))


class _Asker:
    """Asks a process of its own, which may die: some versions of torch divide by zero where others
    raise an error."""

    def __init__(self) -> None:
        self._pool = self._new()

    def ask(self, name: str, saved: Sequence[bytes]) -> tuple[Operator, str] | None:
        """What `_compared` says; None, and a line, where torch dies of the operator."""
        try:
            return self._pool.submit(_compared, name, saved).result()
        except BrokenProcessPool:
            print(f"{name}: torch dies of it", file=sys.stderr)
            self._pool = self._new()
            return None

    def close(self) -> None:
        """End the process."""
        self._pool.shutdown()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, initializer=_make_quiet)


def _make_quiet() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")


def main(given: Sequence[str]) -> None:
    """Compare operators of some names, by default all, and write the file of differences."""
    source, path, *names = given
    records: Records = pickle.loads(Path(source).read_bytes())
    table = load()
    with closing(_Asker()) as asker:
        found = list(differences(records, table, names or _every_name(table), asker.ask))
    absent = (name for name in records.names - public_names() if _matters(name, table))
    write_differences(found, absent, path)


if __name__ == "__main__":
    main(sys.argv[1:])
