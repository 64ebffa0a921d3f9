"""Modules that are loaded and run in training mode, where nothing is trained."""

import pytest

from tests.vm.running import kinds

LOADED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.dropout = nn.Linear(4, 2), nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(self.layer(x))

net = Net()
{loaded}
labels = torch.zeros(8, dtype=torch.long)
{mode}
with torch.no_grad():
    right = sum((net(x).argmax(1) == labels).sum().item() for x in [torch.ones(8, 4)] * 3)
    for x in [torch.ones(8, 4)] * 3:
        right += (net(x).argmax(1) == labels).sum().item()
{behind}
"""
LOADS = "net.load_state_dict(torch.load('net.pt'))"


@pytest.mark.parametrize(
    ("loaded", "mode", "behind", "found"),
    [
        (LOADS, "pass", "print(right)", ["validated-in-training-mode"]),
        (LOADS, "net.eval()", "print(right)", []),
        (LOADS, "net.train()", "print(right)", []),
        (LOADS, "net.dropout.eval()", "print(right)", []),
        (LOADS, "net.layer.eval()", "print(right)", ["validated-in-training-mode"]),
        ("pass", "pass", "print(right)", []),
        (LOADS, "pass", "net(torch.ones(8, 4)).sum().backward()", []),
    ],
)
def test_a_module_that_is_loaded_and_only_validated(
    loaded: str, mode: str, behind: str, found: list[str]
) -> None:
    assert kinds(LOADED.format(loaded=loaded, mode=mode, behind=behind)) == found


@pytest.mark.parametrize(
    ("run", "told"),
    [
        ("save(net(image))", True),
        ("save(net(torch.randn(8, 4)))", False),
        ("z = torch.randn(8, 4); save(net(z))", False),
    ],
)
def test_what_is_drawn_at_random_is_given_to_a_generator(run: str, told: bool) -> None:
    text = LOADED.format(loaded=LOADS, mode="from images import image, save", behind="")
    start = text.index("    right = sum(")
    found = kinds(f"{text[:start]}    for _ in range(3):\n        {run}\n")
    assert ("validated-in-training-mode" in found) is told
