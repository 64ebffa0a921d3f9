"""Modules inside of the wrappers that PyTorch has for them."""

import pytest

from tests.vm.running import kinds

PROGRAM = """
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def forward(self, x):
        return self.net(x)

wrapped = {wrapper}(Pair())
out = wrapped(torch.ones(2, 3))
out.sum().backward(retain_graph=True)
wrapped.{inside}.optimizer.step()
out.mean().backward()
"""
WRAPPERS = {
    "nn.DataParallel": "module",
    "nn.parallel.DistributedDataParallel": "module",
    "nn.parallel.data_parallel.DataParallel": "module",
    "nn.parallel.distributed.DistributedDataParallel": "module",
    "torch.distributed.fsdp.FullyShardedDataParallel": "module",
    "torch.compile": "_orig_mod",
}


@pytest.mark.parametrize(("wrapper", "inside"), WRAPPERS.items())
def test_a_wrapped_module_is_found_again(wrapper: str, inside: str) -> None:
    text = PROGRAM.format(wrapper=wrapper, inside=inside)
    assert kinds(text) == ["saved-tensor-modified"]


SPREAD = """
class Pair(nn.Module):
    def forward(self, x, scale):
        y = x.exp()
        y.mul_(scale)
        return y

w = torch.ones(2, 3, requires_grad=True)
out = nn.parallel.data_parallel(Pair(), {given})
out.sum().backward()
"""


@pytest.mark.parametrize(
    "given", ["(w, 2), range(2)", "w, [0, 1], module_kwargs={'scale': 2}", "inputs=(w, 2)"]
)
def test_a_module_that_is_spread_for_one_call_is_called(given: str) -> None:
    assert kinds(SPREAD.format(given=given)) == ["saved-tensor-modified"]


DERIVED = """
class Passing(nn.DataParallel):
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)

class Scaling(nn.parallel.DistributedDataParallel):
    def __init__(self, module, rate):
        super().__init__(module, device_ids=[0])
        self.rate = rate

    def forward(self, x):
        return super().forward(x) * self.rate

class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, x):
        return self.second(self.first(x))

model = {made}
optimizer = torch.optim.SGD({owner}.parameters(), lr=0.1)
out = model(torch.ones(2, 3))
out.sum().backward(retain_graph=True)
optimizer.step()
out.mean().backward()
"""


@pytest.mark.parametrize(
    ("made", "owner"),
    [
        ("Passing(Pair(), device_ids=[0])", "model"),
        ("Passing(Pair(), device_ids=[0])", "model.second"),
        ("Passing(Pair(), device_ids=[0])", "model.module.second"),
        ("Scaling(Pair(), 2)", "model"),
    ],
)
def test_a_class_derived_from_a_wrapper_has_the_module_that_it_is_given(
    made: str, owner: str
) -> None:
    assert kinds(DERIVED.format(made=made, owner=owner)) == ["saved-tensor-modified"]
