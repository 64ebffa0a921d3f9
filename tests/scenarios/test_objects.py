"""Arguments of classes of the program: an object is made for each once something is asked of it."""

import pytest

from tests.vm.running import certain, faults, kinds

SCALER = """
from typing import Annotated, Optional, Union

class Scaler(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return torch.sigmoid(x * self.weight)

    def squeezed(self, x):
        return torch.sigmoid(x * self.weight)
"""
USE = """
def train(scaler{annotation}, x):
    y = scaler{method}(x)
    y += 1
    y.sum().backward()
"""


@pytest.mark.parametrize(
    "annotation",
    [
        "Scaler",
        "'Scaler'",
        "Optional[Scaler]",
        "Scaler | None",
        "Union[None, Scaler]",
        "Annotated[Scaler, 'trained']",
    ],
)
def test_an_argument_is_what_its_annotation_says(annotation: str) -> None:
    text = SCALER + USE.format(annotation=f": {annotation}", method=".squeezed")
    assert certain(text) == ["saved-tensor-modified"]


def test_it_can_be_called() -> None:
    assert certain(SCALER + USE.format(annotation=": Scaler", method="")) == [
        "saved-tensor-modified"
    ]


def test_of_one_of_two_classes_nothing_is_known() -> None:
    text = SCALER + USE.format(annotation=": Union[Scaler, nn.Linear]", method=".squeezed")
    assert certain(text) == []


def test_it_is_what_a_test_has_found() -> None:
    text = """
def train(scaler, x):
    if isinstance(scaler, Scaler):
        y = scaler.squeezed(x)
        y += 1
        y.sum().backward()
"""
    assert kinds(SCALER + text) == ["saved-tensor-modified"]


KEPT = """
class Trainer:
    def __init__(self, scaler: Scaler):
        self.scaler = scaler
        self.optimizer = torch.optim.SGD(scaler.parameters(), 0.1)

    def step(self, x):
        y = self.scaler.squeezed(x)
        {change}
        self.optimizer.zero_grad()
        y.sum().backward()
        self.optimizer.step()
"""


@pytest.mark.parametrize(
    ("change", "found"), [("y += 1", ["saved-tensor-modified"]), ("y = y + 1", [])]
)
def test_an_object_keeps_the_one_it_is_given(change: str, found: list[str]) -> None:
    assert certain(SCALER + KEPT.format(change=change)) == found


CHAIN = """
class Link:
    def __init__(self, before: "Link", x):
        self.value = before.value + x

def train(link: Link):
    link.value.exp_()
"""


def test_classes_whose_objects_hold_their_like_come_to_an_end() -> None:
    assert certain(CHAIN) == []


RECORD = """
from dataclasses import dataclass

@dataclass
class Options:
    in_place: bool = False

def train(options: Options, weight: nn.Linear):
    y = weight(torch.ones(2)).exp()
    if options.in_place:
        y += 1
    y.sum().backward()
"""


def test_an_option_of_a_record_may_be_set() -> None:
    (fault,) = faults(RECORD)
    assert fault.kind.value == "saved-tensor-modified"


ABSTRACT = """
from abc import abstractmethod

class Words(nn.Module):
    {decorator}
    def width(self):
        pass

    def embed(self, x):
        return self.given(x)

    def given(self, x):
        return x

class Tagger(nn.Module):
    def __init__(self, words: Words):
        super().__init__()
        self.words, self.kept = words, None
        self.decoder = nn.Linear(3, 3)

    def forward(self, x):
        def keep(module, given, out):
            self.kept = out.data
        self.words.dropout.register_forward_hook(keep)
        self.words.embed(x)
        return self.decoder(self.kept)
"""


@pytest.mark.parametrize(("decorator", "found"), [("@abstractmethod", 1), ("", 0)])
def test_of_an_abstract_class_it_is_one_of_a_derived_class(decorator: str, found: int) -> None:
    assert kinds(ABSTRACT.format(decorator=decorator)) == ["gradient-cut"] * found


LEFT_OPEN = """
class Model(nn.Module):
    def loss(self, x):
        {body}

class Stage:
    def __init__(self, model: Model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.1)

    def step(self, x):
        self.optimizer.zero_grad()
        self.model.loss(x).backward()
        self.optimizer.step()
"""


def test_an_object_of_a_class_that_leaves_a_method_open_is_of_a_derived_class() -> None:
    assert kinds(LEFT_OPEN.format(body="raise NotImplementedError")) == []
    assert kinds(LEFT_OPEN.format(body="return x.sum()")) != []


LARGE = """
class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        return self.linear(x)

class Network(nn.Module):
    def __init__(self, size=8):
        super().__init__()
        self.layers = nn.Sequential({layers})
        self.weight = nn.Parameter(torch.ones(size))

    def scaled(self, x):
        return torch.sigmoid(x * self.weight)
"""


@pytest.mark.parametrize("count", [3, 80])
def test_a_large_one_is_made_whole(count: int) -> None:
    layers = ", ".join(["Layer(size)"] * count)
    text = LARGE.format(layers=layers) + USE.format(annotation=": Network", method=".scaled")
    assert certain(text) == ["saved-tensor-modified"]


LARGE = """
def block(size):
    layers = []
    layers.append(nn.Linear(size, size))
    layers.append(nn.ReLU())
    return nn.Sequential(*layers)

class Part(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.first = block(size)
        self.second = block(size)
        self.third = block(size)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ModuleList([Part(8) for _ in range(16)])
        self.b = nn.ModuleList([Part(8) for _ in range(16)])
        self.c = nn.ModuleList([Part(8) for _ in range(16)])
        self.head = nn.Linear(8, 1)

class Trainer:
    def __init__(self, model: Model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)

    def step(self, x):
        out = self.model.head(x).exp()
        out += 1
        out.sum().backward()
        self.optimizer.step()
"""


def test_a_model_of_many_parts_is_made_with_the_last_of_them() -> None:
    assert "saved-tensor-modified" in certain(LARGE)
