"""Penalties over the layers of a model that is not known."""

from tests.vm.running import faults, kinds

TRAIN = """
from torch.nn import functional as F

def penalty(model):
    total = 0
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            total += torch.norm({}, p=1)
    return total

def train(model, loader):
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y) + 1e-4 * penalty(model)
        loss.backward()
        opt.step()
"""


def test_the_bare_values_of_a_layers_parameter_have_no_gradient() -> None:
    (fault,) = faults(TRAIN.format("module.weight.data"))
    assert fault.kind.value == "constant-loss-term" and fault.operator == ".data"
    assert kinds(TRAIN.format("module.weight")) == []
    assert kinds(TRAIN.format("module.running_mean.data")) == []


GRADIENTS = """
def train(critic: nn.Module, loader, config):
    opt = torch.optim.SGD(critic.parameters(), 0.1)
    for x in loader:
        x.requires_grad_()
        out = critic(x)
        gradient = torch.autograd.grad(out.sum(), x, {})[0]
        loss = out.mean() + {} * config["penalty"]
        opt.zero_grad()
        loss.backward()
        opt.step()
"""


def test_a_gradient_without_a_graph_is_a_constant_though_a_configuration_scales_it() -> None:
    told = kinds(GRADIENTS.format("retain_graph=True", "gradient.norm()"))
    assert told == ["penalty-without-graph"]
    assert kinds(GRADIENTS.format("create_graph=True", "gradient.norm()")) == []
    assert kinds(GRADIENTS.format("retain_graph=True", "(gradient * out).sum()")) == []


CRITICISM = """
class Criticism:
    def __init__(self, critic):
        self.critic = critic

    def penalty(self, x):
        x.requires_grad_()
        out = self.critic(x)
        gradient = torch.autograd.grad(out.sum(), x, {})[0]
        return ((gradient.norm(2, dim=1) - 1) ** 2).mean()

    def loss(self, real, fake):
        loss = self.critic(fake).mean() - self.critic(real).mean()
        loss += self.penalty(real.detach())
        return loss
"""


def test_a_penalty_is_a_constant_in_the_loss_that_a_method_returns() -> None:
    assert kinds(CRITICISM.format("retain_graph=True")) == ["penalty-without-graph"]
    assert kinds(CRITICISM.format("create_graph=True")) == []
