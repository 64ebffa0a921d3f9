"""Every signal has a file of its own, and says what it looks at."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from autograd_lint.evidence import signals
from autograd_lint.evidence.signals.all_signals import SIGNALS

FILES = [one.name for one in iter_modules(signals.__path__)]
OWN = [name for name in FILES if name not in ("base", "all_signals")]


def test_every_file_is_asked() -> None:
    found = {import_module(f"{signals.__name__}.{name}").SIGNAL for name in OWN}
    assert found == set(SIGNALS)


@pytest.mark.parametrize("name", OWN)
def test_a_signal_is_named_as_its_file_and_shows_an_example(name: str) -> None:
    module = import_module(f"{signals.__name__}.{name}")
    assert module.SIGNAL.name == name.replace("_", "-")
    assert (module.__doc__ or "").count("\n\n") >= 1


def test_no_two_signals_assume_the_same() -> None:
    kinds = [one.assumes for one in SIGNALS if one.assumes is not None]
    assert len(set(kinds)) == len(kinds)


def test_what_is_costly_comes_last() -> None:
    costly = [one.costly for one in SIGNALS]
    assert costly == sorted(costly)
