"""Another torch asked the same calls: what is seen again, and what is not."""

from dataclasses import replace

import pytest

from autograd_lint.operators.measure.comparing import different, is_missing
from autograd_lint.operators.measure.public import public_names
from autograd_lint.operators.measure.recording import Recorded, record, restored, saved
from autograd_lint.operators.table import load

TABLE = load()


@pytest.fixture(scope="module")
def records() -> dict[str, list[bytes]]:
    return record(["sigmoid", "nn.Linear"]).calls


@pytest.mark.parametrize("name", ["sigmoid", "nn.Linear"])
def test_the_same_torch_does_the_same(name: str, records: dict[str, list[bytes]]) -> None:
    assert records[name]
    assert different(TABLE.operator(name), records[name]) is None


def _unsaved(recorded: Recorded) -> Recorded:
    """The same call as if nothing had been saved."""
    trials = (
        replace(trial, raised=dict.fromkeys(trial.raised, False)) for trial in recorded.case.trials
    )
    return replace(recorded, case=replace(recorded.case, trials=tuple(trials)))


def test_what_is_seen_now_is_learnt(records: dict[str, list[bytes]]) -> None:
    before = [saved(_unsaved(restored(one))) for one in records["sigmoid"]]
    found = different(TABLE.operator("sigmoid"), before)
    assert found is not None
    assert found.forms == TABLE.operator("sigmoid").forms


def test_operators_that_there_are_not_are_missing() -> None:
    assert not is_missing("sigmoid", TABLE)
    assert not is_missing("nn.Linear", TABLE)
    assert is_missing("no_such_operator", TABLE)


def test_the_names_of_a_torch_are_its_own() -> None:
    names = public_names()
    assert {"torch.nn.Buffer", "torch.Tensor.grad", "torch.autograd.Function.apply"} <= names
    assert not any(name.startswith("torch.nn._") for name in names)
    assert "torch.nn.functional.Callable" not in names
