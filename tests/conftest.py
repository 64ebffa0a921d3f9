"""What holds for every test."""

import signal

import pytest


@pytest.fixture(autouse=True, scope="session")
def interrupts_arrive() -> None:
    """Programs started by tests can be interrupted.

    A shell that runs the tests in the background makes them ignore SIGINT, which their children
    would inherit.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
