"""Where a value was put away: that is where its graph begins to outlive a call."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import faults, kinds

STATE = """
class Mean(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(2, 2)
        self.mean, self.means = torch.zeros(2), []

    def keep(self, name, x):
        {keep}

    def forward(self, x):
        {read}
        self.keep("mean", 0.9 * old + 0.1 * self.lift(x).mean(0))
        {read}
        return old.exp()

net = Mean()
for _ in range(3):
    net(torch.ones(3, 2)).sum().backward()
"""


@pytest.mark.parametrize(
    ("keep", "read"),
    [
        ("self.register_buffer(name, x)", "old = self.mean"),
        ("setattr(self, name, x)", "old = self.mean"),
        ("self.means.append(x)", "old = self.means[-1] if self.means else self.mean"),
    ],
)
def test_a_graph_that_is_carried_over_is_told_where_it_is_kept(keep: str, read: str) -> None:
    text = STATE.format(keep=keep, read=read)
    carried = [one for one in faults(text) if one.kind.value == "graph-freed"]
    assert [one.built.place.row for one in carried if one.built and one.built.place] == [11]


@pytest.mark.parametrize(
    ("kept", "found"),
    [("word not in {names['end'], names['start']}", False), ("word != names['end']", True)],
)
def test_what_is_looked_for_among_the_elements_of_a_set_is_no_tensor(
    kept: str, found: bool
) -> None:
    text = f"""
from elsewhere import images, names

loaded = torch.load("model.pth")
encoder, decoder = loaded["encoder"], loaded["decoder"]
encoder.eval()

def decoded():
    words = []
    for image in images:
        found = decoder.search(encoder(image), names)
        words.append([word for word in found if {kept}])
    return words

print(decoded())
"""
    assert (Pitfall.GRAPH_KEPT.value in kinds(text)) is found
