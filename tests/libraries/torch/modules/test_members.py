"""The dictionaries in which a module keeps its members."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.evidence.wording import worded
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import certain, faults, kinds

CLONE = """
import copy
def clone(module):
    new = copy.copy(module)
    new._parameters = {{k: p.clone() for k, p in module._parameters.items()}}
    new._modules = {{k: clone(m) for k, m in module._modules.items()}}
    return new
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
net = Net()
copied = clone(net)
for p in {which}.head.parameters():
    p.requires_grad = False
"""


def test_cloned_parameters_are_no_leaves() -> None:
    assert certain(CLONE.format(which="copied")) == ["non-leaf-flag"]


def test_those_of_the_original_are() -> None:
    assert certain(CLONE.format(which="net")) == []


def test_what_is_put_into_the_dictionary_the_module_gets() -> None:
    text = "m = nn.Linear(2, 2)\nm._parameters['weight'] = m.weight * 2\n"
    assert certain(text + "torch.optim.SGD(m.parameters(), 0.1)\n") == ["non-leaf-optimizer"]


REPLACED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        {taken}
        self.layer.weight = self.layer.bias * 2
Net()
"""


def test_what_was_taken_out_of_a_module_may_be_set_to_any_tensor() -> None:
    assert certain(REPLACED.format(taken="pass")) == ["other"]
    assert certain(REPLACED.format(taken='del self.layer._parameters["weight"]')) == []


SHARED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = self.other = nn.Sequential(nn.Linear(2, 2))

x = torch.ones(2, requires_grad=True) * 2
y = x.sigmoid()
if len(list(Net().modules())) == 3:
    y += 1
y.sum().backward()
"""


def test_a_module_in_two_places_is_one_module() -> None:
    assert certain(SHARED) == ["saved-tensor-modified"]


AVERAGED = """
class Book(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Parameter(torch.zeros(4))
        self.register_buffer("mean", None)
        torch.zeros(2).add_(1)

    def update(self, name, new):
        old = getattr(self, name)
        if old is None:
            self.register_buffer(name, new{taken})
            return
        self.register_buffer(name, old * 0.9 + new{taken} * 0.1)

    def forward(self, x):
        self.update("mean", x.mean(dim=0))
        return (self.embed - self.mean) * x
"""


def test_what_a_step_registers_keeps_its_graph() -> None:
    assert kinds(AVERAGED.format(taken="")) == ["graph-freed"]
    assert kinds(AVERAGED.format(taken=".detach()")) == []


NUMBERED = """
class Blur(nn.Module):
    def __init__(self, sigmas):
        super().__init__()
        self.sigmas = [nn.Parameter(torch.as_tensor(s, dtype=torch.float)) for s in sigmas]
        for i, sigma in enumerate(self.sigmas):
            {register}

    def forward(self, x):
        return x * self.sigmas[0]
"""


def test_a_name_that_is_not_known_is_a_name() -> None:
    register = "self.register_parameter(f'sigma_{i}', sigma)"
    assert kinds(NUMBERED.format(register=register)) == []
    assert kinds(NUMBERED.format(register="print(i)")) == ["unregistered"]


NAMED = """
from collections import OrderedDict

class Block(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(3):
            first = (f"{{name}}_{{i}}/first", nn.{first})
            second = (f"{{name}}_{{i}}/relu", nn.ReLU(inplace=True))
            parts = [first, second]
            self.layers.append(nn.Sequential(OrderedDict(parts)))

    def forward(self, x):
        output = []
        for layer in self.layers:
            x = layer(x)
            output.append(x.exp())
        return torch.cat(output, 1)
"""


@pytest.mark.parametrize(
    ("first", "found"), [("Linear(2, 2)", []), ("Identity()", ["saved-tensor-modified"])]
)
def test_layers_with_computed_names_are_all_there(first: str, found: list[str]) -> None:
    assert kinds(NAMED.format(first=first)) == found


LIST = """
import library

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.ReLU(inplace=True), {between}, nn.ReLU(inplace=True)])

    def forward(self, x):
        x = x * 2
        for layer in self.layers:
            x = layer(x)
        return x
"""


@pytest.mark.parametrize(
    ("between", "found"), [("library.conv(3)", []), ("nn.Identity()", ["saved-tensor-modified"])]
)
def test_a_list_keeps_its_elements_that_are_not_known(between: str, found: list[str]) -> None:
    assert kinds(LIST.format(between=between)) == found


SETTING = """
class Base(nn.Module):
    def {method}(self, name, value):
        self.register_parameter(name, nn.Parameter(value))

class Net(Base):
    def __init__(self):
        super().__init__()
        self.x = torch.zeros(8, requires_grad=True)

    def forward(self, y):
        return (self.x * y).sum()
"""


def test_a_class_with_a_setter_of_its_own_may_register_what_it_is_given() -> None:
    assert kinds(SETTING.format(method="__setattr__")) == []
    assert kinds(SETTING.format(method="add")) == ["unregistered"]


UNKNOWN = """
from library import make

net = nn.Linear(2, 2)
{replaced}
net(torch.ones(3, 2)).sum().backward()
"""
GIVEN = [
    "net.weight = make()\nnet.bias = make()",
    "net._parameters.update(make())",
]


@pytest.mark.parametrize("replaced", GIVEN)
def test_parameters_that_are_not_known_may_require_grad(replaced: str) -> None:
    assert kinds(UNKNOWN.format(replaced=replaced)) == []


def test_those_that_are_known_may_not() -> None:
    frozen = "net.requires_grad_(False)"
    assert certain(UNKNOWN.format(replaced=frozen)) == ["no-grad-root"]


MOVED = """
class Scale(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.std = nn.Parameter(torch.ones(3), requires_grad=False){moved}

    def update(self, x):
        self.std = x.var(0).sqrt()
"""


@pytest.mark.parametrize(
    ("moved", "because"),
    [("", []), (".to('cpu')", []), (".to(device)", ["the module is created on the CPU"])],
)
def test_a_parameter_that_may_have_been_moved_is_one_on_the_cpu(
    moved: str, because: list[str]
) -> None:
    (fault,) = faults(MOVED.format(moved=moved))
    assert [worded(one) for one in fault.assumptions] == because


STATISTICS = """
import torch.nn.functional as F

class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("running_mean", torch.zeros(3))
        self.register_buffer("running_var", torch.ones(3))
        self.weight.data.fill_(1)

    def forward(self, x):
        given = (self.running_mean, self.running_var, self.weight, None)
        return F.batch_norm(x, *given, False, 0.1, 1e-5) + F.batch_norm(x, *given, True, 0.1, 1e-5)
"""


def test_what_is_overwritten_unseen_is_named_as_it_was_registered() -> None:
    (fault,) = faults(STATISTICS)
    assert fault.modified is not None
    assert fault.modified.tensor in ("running_mean", "running_var")


BUFFER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.{register}("used", nn.Parameter(torch.zeros(4)))
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)

net = nn.parallel.DistributedDataParallel(Net())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    net(torch.ones(2)).sum().backward()
    opt.step()
"""


@pytest.mark.parametrize(
    ("register", "lacks"), [("register_buffer", False), ("register_parameter", True)]
)
def test_a_parameter_that_is_registered_as_a_buffer_is_no_parameter_of_the_module(
    register: str, lacks: bool
) -> None:
    found = faults(BUFFER.format(register=register))
    assert ("DistributedDataParallel" in {fault.operator for fault in found}) is lacks


KEPT = """import torch
from torch import nn

class Book(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("used", nn.Parameter(torch.zeros(4)))

    def forward(self, x):
        self.used[:2] = 1.0
        return self.layer(x)
"""


@pytest.mark.parametrize(("use", "told"), [("print(Book())", True), ("Book().cuda()", False)])
def test_a_parameter_that_is_a_buffer_is_no_leaf_on_another_device(
    tmp_path: Path, use: str, told: bool
) -> None:
    write_tree(tmp_path, {"book.py": KEPT, "use.py": f"from book import Book\n{use}\n"})
    found = analyse(Source(str(tmp_path / "book.py"), KEPT), Project([tmp_path]))
    assert found and any(fault.weight < 2 for fault in found) is told
