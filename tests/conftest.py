"""What holds for every test."""

import signal
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def interrupts_arrive() -> None:
    """Programs started by tests can be interrupted.

    A shell that runs the tests in the background makes them ignore SIGINT, which their children
    would inherit.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_process_group_is_left() -> Iterator[None]:
    """The process group that a program under test has made does not reach the next test."""
    yield
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        distributed.destroy_process_group()
