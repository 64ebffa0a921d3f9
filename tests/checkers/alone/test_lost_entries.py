"""Entries of a state that are set, and loaded by nobody."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted


@pytest.mark.parametrize(
    "code",
    [
        "model.state_dict()['weight'] = w",
        "self.target.state_dict().update(state)",
        "state = model.state_dict()\nstate['weight'] = w",
        "state = model.state_dict()\nfor n in state:\n    p = 2 * state[n]\n    state[n] = p",
    ],
)
def test_a_state_that_nothing_loads_is_told(code: str) -> None:
    assert Pitfall.PARAMETER_REBOUND in noted(code)


@pytest.mark.parametrize(
    "code",
    [
        "model.state_dict()['weight'] += w",
        "model.state_dict()['weight'].copy_(w)",
        "state = model.state_dict()\nstate['weight'] = w\nmodel.load_state_dict(state)",
        "state = dict(model.state_dict())\nstate.update(other)\nsave(state)",
        "def state_dict(self):\n    return self.state\nmodel.state_dict()['weight'] = w",
        "state = model.state_dict()\nfor n in state:\n    p = state[n]\n    state[n] = p",
    ],
)
def test_what_writes_or_loads_a_state_is_quiet(code: str) -> None:
    assert Pitfall.PARAMETER_REBOUND not in noted(code)


@pytest.mark.parametrize(
    "program",
    [
        "optimizer.state_dict()['param_groups'][0]['lr'] = 0.1",
        "for group in optimizer.state_dict()['param_groups']:\n    group['lr'] *= 0.1",
    ],
)
def test_a_rate_in_a_copy_of_groups_is_told(program: str) -> None:
    assert Pitfall.RATE_WITHOUT_EFFECT in noted(program)


@pytest.mark.parametrize(
    "program",
    [
        "for group in optimizer.param_groups:\n    group['lr'] *= 0.1",
        "for group in optimizer.state_dict()['param_groups']:\n    rates['lr'] = group['lr']",
    ],
)
def test_a_rate_of_the_groups_themselves_or_one_that_is_read_is_quiet(program: str) -> None:
    assert Pitfall.RATE_WITHOUT_EFFECT not in noted(program)
