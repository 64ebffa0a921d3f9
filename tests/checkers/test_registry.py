"""The list of all checkers."""

from importlib import import_module
from pkgutil import iter_modules

from autograd_lint import checkers
from autograd_lint.analysis.files import analyse
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.registry import CHECKERS, COVERAGE, RECORDS
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listener

LISTED = [*RECORDS, *COVERAGE, *CHECKERS]


def written() -> set[type]:
    """The listeners that are defined in the room of checkers."""
    names = [f"{checkers.__name__}.{module.name}" for module in iter_modules(checkers.__path__)]
    found = [value for name in names for value in vars(import_module(name)).values()]
    kinds = {value for value in found if isinstance(value, type) and "listen" in vars(value)}
    return kinds - {Checker, Listener}


def test_every_checker_is_listed() -> None:
    assert written() <= set(LISTED)


def test_every_checker_is_listed_once() -> None:
    assert len(set(LISTED)) == len(LISTED)


def test_records_hear_before_checkers() -> None:
    assert LISTED.index(TrainingRecord) < LISTED.index(CHECKERS[0])


def test_a_run_leaves_nothing_behind_for_the_next() -> None:
    text = "import torch\nw = torch.ones(3, requires_grad=True)\nw.sum().backward()\nw += 1\n"
    first, second = (analyse(Source("a.py", text)) for _ in range(2))
    assert [fault.kind for fault in first] == [fault.kind for fault in second]
