"""Callers that make for the call what a function modifies in place."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, is_shown

TEXT = f"""{HEAD}
def smooth(signal, window: torch.Tensor | None = None):
    if window is None:
        weight = torch.zeros_like(signal)
    else:
        weight = window
    weight[0] = -1.0
    return (signal * weight).sum()
"""


@pytest.mark.parametrize(
    ("given", "shown"),
    [("window.clone()", False), ("window=2 * window", False), ("window", True)],
)
def test_what_all_callers_make_for_the_call_is_not_missed(
    tmp_path: Path, given: str, shown: bool
) -> None:
    caller = f"from own import smooth\ndef f(signal, window):\n    return smooth(signal, {given})\n"
    assert is_shown(tmp_path, TEXT, caller) is shown


@pytest.mark.parametrize(("given", "shown"), [("", False), (", window", True)])
def test_an_option_that_no_call_gives_is_nobodys(tmp_path: Path, given: str, shown: bool) -> None:
    caller = f"from own import smooth\ndef f(signal, window):\n    return smooth(signal{given})\n"
    assert is_shown(tmp_path, TEXT, caller) is shown


INNER = """
def smoothing(scale):
    def smooth(signal, window: torch.Tensor | None{default}):
        if window is None:
            weight = torch.zeros_like(signal)
        else:
            weight = window
        weight[0] = -1.0
        return (scale * signal * weight).sum()
    return smooth
"""


@pytest.mark.parametrize(("default", "shown"), [(" = None", False), ("", True)])
def test_an_option_of_an_inner_function_is_nobodys(
    tmp_path: Path, default: str, shown: bool
) -> None:
    caller = "from own import smoothing\ndef f():\n    return smoothing(2)\n"
    assert is_shown(tmp_path, HEAD + INNER.format(default=default), caller) is shown
