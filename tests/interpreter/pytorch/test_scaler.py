"""What a gradient scaler does only once before its `update()`."""

from tests.interpreter.running import certain, faults

LOOP = """
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
def train(limit):
    for _ in range(2):
        optimizer.zero_grad()
        scaler.scale(model(torch.ones(3, 2)).sum()).backward()
        scaler.unscale_(optimizer)
        if torch.rand(1) > limit:{skip}
        scaler.step(optimizer)
        scaler.update()
train(0.5)
"""


def test_a_round_that_is_skipped_needs_an_update_too() -> None:
    (fault,) = faults(LOOP.format(skip="\n            continue"))
    assert fault.kind.value == "other"
    assert fault.place is not None and fault.place.row == 11
    assert fault.built is not None and fault.built.place is not None
    assert fault.built.place.row == 13
    assert any("limit" in assumption.text for assumption in fault.assumptions)


def test_a_skipped_round_with_an_update_is_fine() -> None:
    skip = "\n            scaler.update()\n            continue"
    assert faults(LOOP.format(skip=skip)) == []


def test_two_steps_need_an_update_in_between() -> None:
    assert certain(LOOP.format(skip=" pass\n        scaler.step(optimizer)")) == ["other"]
