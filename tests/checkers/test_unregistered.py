"""Leaves that a module keeps as plain attributes, in whichever way they came to require grad."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import kinds

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        {made}

    def forward(self, x):
        return self.fc(x) * self.scale
"""


@pytest.mark.parametrize(
    "made",
    [
        "self.scale = torch.zeros(1, requires_grad=True)",
        "self.scale = torch.zeros(1).requires_grad_()",
        "self.scale = torch.rand(3); self.scale.requires_grad = True",
        "self.scale = torch.full((3,), 0.5); self.scale.requires_grad_(True)",
        "self.scale = (torch.randn(3) * 0.02).requires_grad_()",
        "self.scale = torch.Tensor(3).fill_(0.1).requires_grad_()",
    ],
)
def test_a_leaf_that_is_no_parameter_is_not_registered(made: str) -> None:
    assert kinds(NET.format(made=made)) == [Pitfall.UNREGISTERED.value]


@pytest.mark.parametrize(
    "made",
    [
        "self.scale = nn.Parameter(torch.zeros(1))",
        "self.scale = torch.zeros(1)",
        "self.register_buffer('scale', torch.zeros(1).requires_grad_())",
        "self.scale = torch.zeros(1).requires_grad_(False)",
    ],
)
def test_parameters_buffers_and_constants_are_quiet(made: str) -> None:
    assert kinds(NET.format(made=made)) == []


FORWARD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        self.seen = (x * 2).requires_grad_()
        return self.fc(self.seen)
"""


def test_what_forward_computes_and_flags_is_no_parameter() -> None:
    assert kinds(FORWARD) == []


def test_what_nothing_reads_is_not_missed() -> None:
    listed = NET.replace("self.fc(x) * self.scale", "self.fc(x)")
    assert kinds(listed.format(made="self.spare = [nn.Linear(3, 3)]")) == []
    used = listed.replace("self.fc(x)", "self.spare[0](self.fc(x))")
    assert kinds(used.format(made="self.spare = [nn.Linear(3, 3)]")) != []


def test_an_element_that_is_registered_at_any_position_speaks_for_its_list() -> None:
    text = """
class Net(nn.Module):
    def __init__(self, width: int, count: int):
        super().__init__()
        priors = [torch.zeros(width)] + [torch.zeros(width) for _ in range(count - 1)]
        like = lambda prior: nn.Parameter(torch.empty_like(prior, requires_grad=True))
        scales = [like(prior) for prior in priors]
        self.scales = (scales, priors)
        for position in range(count):
            {registering}

    def forward(self, x):
        for scale in self.scales[0]:
            x = x * scale
        return x
"""
    one_by_one = "self.register_parameter(f'scale_{position}', scales[position])"
    assert kinds(text.format(registering=one_by_one)) == []
    assert kinds(text.format(registering="pass")) == [Pitfall.UNREGISTERED.value]


GATED = """
class Student(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.gates = dict()

    def forward(self, x):
        return self.model(x)

    def replace(self, names):
        for name in names:
            gate = nn.Linear(3, 3)
            self.gates[name] = gate
            block = nn.Sequential(nn.Tanh(), gate)
            {put}
"""


@pytest.mark.parametrize(
    ("put", "found"),
    [
        ("setattr(self.model, name, block)", []),
        ("self.model.head = block", []),
        ("block(torch.ones(3))", [Pitfall.UNREGISTERED.value]),
    ],
)
def test_what_is_not_known_may_register_what_it_is_given(put: str, found: list[str]) -> None:
    assert kinds(GATED.format(put=put)) == found
