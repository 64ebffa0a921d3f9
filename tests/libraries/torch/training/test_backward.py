"""Gradients that are asked for."""

from autograd_lint.engine.faults import FaultKind
from tests.vm.running import faults

PRODUCT = """
def product(policy, states, v):
    kl = policy(states).mean()
    gradients = torch.autograd.grad(kl, policy.parameters(){graph})
    flat = torch.cat([one.reshape(-1) for one in gradients])
    slope = (flat * v.detach()).sum()
    return torch.autograd.grad(slope, policy.parameters())
"""


def test_gradients_for_a_whole_module_have_a_graph_where_it_is_asked_for() -> None:
    (fault,) = faults(PRODUCT.format(graph=""))
    assert fault.kind is FaultKind.NO_GRAD_ROOT
    assert fault.built is not None
    assert (fault.built.operator, fault.built.place.row) == ("grad", 6)
    assert faults(PRODUCT.format(graph=", create_graph=True")) == []
