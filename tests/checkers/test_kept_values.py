"""Values of parameters that a list gathers by reference, step after step."""

import pytest

from tests.vm.running import kinds

STEPS = """
w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
path = []
for _ in range(5):
    optimizer.zero_grad()
    (w - 1).square().sum().backward()
    optimizer.step()
    {kept}
print(path)
"""


@pytest.mark.parametrize("kept", ["w.detach().numpy()", "w.data", "w.detach()", "w.data.numpy()"])
def test_each_entry_holds_the_last_values(kept: str) -> None:
    assert kinds(STEPS.format(kept=f"path.append({kept})")) == ["snapshot-overwritten"]


@pytest.mark.parametrize(
    "kept",
    [
        "path.append(w.detach().numpy().copy())",
        "path.append(w.detach().clone())",
        "path.append(w.tolist())",
        "path.append(w.detach().cpu().numpy())",
        "path = [w.detach()]",
        "path.clear(); path.append(w.data)",
        "print(w.detach().numpy())",
    ],
)
def test_copies_and_one_entry_alone_are_fine(kept: str) -> None:
    assert kinds(STEPS.format(kept=kept)) == []


def test_what_no_step_comes_between_is_the_same_on_purpose() -> None:
    text = "w = torch.zeros(2, requires_grad=True)\nboth = []\n"
    assert kinds(text + "both.append(w.data)\nw.data.zero_()\nboth.append(w.data)") == []
