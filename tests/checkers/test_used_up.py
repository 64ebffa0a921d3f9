"""Generators that are gone through a second time."""

from tests.vm.running import HEAD, faults

CLIPPED = """
model = nn.Linear(2, 1)
wanted = (p for p in model.parameters() if p.requires_grad)
optimizer = torch.optim.SGD(wanted, lr=0.1)
model(torch.ones(1, 2)).sum().backward()
nn.utils.clip_grad_norm_(wanted, 1.0)
"""


def test_the_line_that_makes_the_generator_is_named() -> None:
    (fault,) = faults(CLIPPED)
    assert fault.kind.value == "used-up-generator"
    (made,) = fault.noted
    assert made.place is not None
    assert (HEAD + CLIPPED).splitlines()[made.place.row - 1].startswith("wanted = ")
