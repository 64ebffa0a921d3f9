"""One mistake is told once."""

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import faults

TWO_TERMS = """
from torch.nn import functional as F

a, b = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
for _ in range(3):
    x, y = torch.randn(4, 3), torch.randn(4, 1)
    optimizer.zero_grad()
    (F.mse_loss(a(x).detach(), y) + F.mse_loss(b(x), y)).backward()
    optimizer.step()
"""
SWITCHED_OFF = """
a = nn.Linear(3, 1)
optimizer = torch.optim.SGD(a.parameters(), lr=0.1)

def evaluate(x):
    torch.set_grad_enabled(False)
    return a(x)

for _ in range(3):
    optimizer.zero_grad()
    a(torch.randn(4, 3)).mean().backward()
    optimizer.step()
    evaluate(torch.randn(4, 3))
"""


def _told(text: str) -> list[tuple[str, list[str]]]:
    return [(one.kind.value, [also.kind.value for also in one.also]) for one in faults(text)]


def test_a_cut_makes_a_constant_of_the_term_behind_it() -> None:
    assert _told(TWO_TERMS) == [(Pitfall.GRADIENT_CUT.value, [Pitfall.CONSTANT_TERM.value])]


def test_a_root_without_a_graph_shows_the_mode_that_was_left_off() -> None:
    assert _told(SWITCHED_OFF) == [(FaultKind.NO_GRAD_ROOT.value, [Pitfall.MODE_LEAKS.value])]


DRAWN = """
import matplotlib.pyplot as plt
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 3)).mean()
    losses.append({kept})
    loss.backward()
    optimizer.step()
plt.plot(losses)
"""


def test_what_draws_a_list_of_kept_graphs_shows_that_it_keeps_them() -> None:
    kept, drawn = Pitfall.GRAPH_KEPT.value, FaultKind.NUMPY_ON_GRAD.value
    assert _told(DRAWN.format(kept="loss")) == [(kept, [drawn])]
    assert _told(DRAWN.format(kept="loss.detach()")) == []
