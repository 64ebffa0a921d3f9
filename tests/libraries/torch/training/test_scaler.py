"""What a gradient scaler does only once before its `update()`."""

import pytest

from autograd_lint.evidence.wording import worded
from tests.vm.running import certain, faults, kinds

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
    assert any("limit" in worded(assumption) for assumption in fault.assumptions)


def test_a_skipped_round_with_an_update_is_fine() -> None:
    skip = "\n            scaler.update()\n            continue"
    assert faults(LOOP.format(skip=skip)) == []


def test_two_steps_need_an_update_in_between() -> None:
    assert certain(LOOP.format(skip=" pass\n        scaler.step(optimizer)")) == ["other"]


GROUPED = """
model = nn.Sequential({layers})
def groups():
    plain, decaying = [], []
    for name, p in model.named_parameters():
        skipped = [part for part in ("norm", "bias") if part in name]
        if p.requires_grad and len(p.shape) == 1 and not any(skipped):
            plain.append(p)
        else:
            decaying.append(p)
    return [{{"params": plain}}, {{"params": decaying}}]

optimizer = torch.optim.SGD(groups(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    optimizer.zero_grad()
    scaler.scale(model(torch.ones(3, 2)).sum()).backward()
    {unscale}
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
"""


def test_groups_gathered_in_a_loop_that_was_cut_short_hold_more() -> None:
    layers = ", ".join(["nn.Linear(2, 2)"] * 20)
    unscale = "scaler.unscale_(optimizer)"
    assert kinds(GROUPED.format(layers=layers, unscale=unscale)) == []
    assert kinds(GROUPED.format(layers=layers, unscale="pass")) == ["scaled-gradients"]


UNSCALED = """
from somewhere import run
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("{device}", enabled={enabled})
for _ in range(3):
    optimizer.zero_grad()
    {backward}
    scaler.step(optimizer)
    scaler.update()
"""
LOSS = "model(torch.ones(3, 2)).sum()"


def unscaled(backward: str, device: str = "cpu", enabled: str = "True") -> str:
    return UNSCALED.format(device=device, enabled=enabled, backward=backward)


def test_a_scaler_that_has_scaled_nothing_does_not_step() -> None:
    assert certain(unscaled(f"{LOSS}.backward()")) == ["other"]
    (fault,) = faults(unscaled(f"{LOSS}.backward()", device="cuda"))
    assert [worded(one) for one in fault.assumptions] == ["it runs on a GPU"]


@pytest.mark.parametrize(
    ("backward", "enabled"),
    [
        (f"scaler.scale({LOSS}).backward()", "True"),
        (f"{LOSS}.backward()", "False"),
        (f"{LOSS}.backward(); run(scaler)", "True"),
        (f"{LOSS}.backward(); run([scaler])", "True"),
    ],
)
def test_one_that_is_off_or_may_have_scaled_does(backward: str, enabled: str) -> None:
    assert kinds(unscaled(backward, enabled=enabled)) == []


WRAPPED = """
class Wrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    def step(self):
        self.optimizer.step()

net = nn.Linear(2, 1)
scaler = torch.amp.GradScaler()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.ones(9, 1, 2):
    optimizer.zero_grad()
    scaler.scale(net(x).sum()).backward()
    {unscale}
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(Wrapper(optimizer))
    scaler.update()
"""


def test_an_object_that_has_an_optimizer_stands_for_its_parameters() -> None:
    assert kinds(WRAPPED.format(unscale="scaler.unscale_(Wrapper(optimizer))")) == []
    assert kinds(WRAPPED.format(unscale="pass")) == ["scaled-gradients"]
