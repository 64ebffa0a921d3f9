"""Gradients that are kept by reference, and averaged with later ones."""

import pytest

from tests.vm.running import faults, kinds

OWN = """
net = nn.Linear(2, 1)
velocity, state = [None] * 2, [{{}} for _ in net.parameters()]
for x in library.data():
    for p in net.parameters():
        if p.grad is not None:
            {clear}
    net(x).square().sum().backward()
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            if {slot} is None:
                {slot_set} = {kept}
            else:
                {slot}.mul_(0.9).{average}
            p.sub_({slot_set}, alpha=0.1)
"""
ENTRY = {"slot": "velocity[i]", "slot_set": "velocity[i]"}
STATE = {"slot": "state[i].get('buffer')", "slot_set": "state[i]['buffer']"}
ADDED = "add_(p.grad)"


@pytest.mark.parametrize("slots", [ENTRY, STATE])
@pytest.mark.parametrize(
    ("kept", "average"),
    [
        ("p.grad", ADDED),
        ("p.grad.data", ADDED),
        ("p.grad", "add_(p.grad, alpha=0.1)"),
        ("p.grad", "lerp_(p.grad, 0.1)"),
    ],
)
def test_an_average_that_begins_as_the_gradient_itself_is_overwritten_with_it(
    slots: dict[str, str], kept: str, average: str
) -> None:
    program = OWN.format(clear="p.grad.zero_()", kept=kept, average=average, **slots)
    (fault,) = faults(program)
    assert fault.kind.value == "snapshot-overwritten"


@pytest.mark.parametrize(
    ("clear", "kept"),
    [("p.grad.zero_()", "p.grad.clone()"), ("p.grad = None", "p.grad")],
)
def test_a_copy_or_a_gradient_made_anew_is_another_memory(clear: str, kept: str) -> None:
    assert kinds(OWN.format(clear=clear, kept=kept, average=ADDED, **ENTRY)) == []
