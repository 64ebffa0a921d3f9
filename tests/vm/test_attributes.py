"""What attributes objects have."""

import pytest

from tests.vm.running import certain, kinds

OPTIONAL = """
from base import Base

class Model(Base):
    def __init__(self, scale, kind):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.scale = 1 if kind == "plain" else scale

    def encode(self, x):
        if hasattr(self, "{name}"):
            return self.layer(x).max(0)
        return self.layer(x)

    def forward(self, x):
        return self.encode(x).detach()
"""


@pytest.mark.parametrize(("name", "found"), [("options", []), ("scale", ["other"])])
def test_an_object_hardly_has_what_its_files_never_set(name: str, found: list[str]) -> None:
    assert kinds(OPTIONAL.format(name=name)) == found


CUT = """
from copy import deepcopy
class Thing:
    pass
def cut(thing):
    if hasattr(thing, "__dict__"):
        for name, value in thing.__dict__.items():
            if isinstance(value, torch.Tensor):
                setattr(thing, name, {made})
root = Thing()
root.first = torch.tensor(1.0, requires_grad=True) * 2
cut([root])
cut(root)
deepcopy(root)
"""


def test_the_dictionary_of_an_object_holds_its_attributes() -> None:
    assert certain(CUT.format(made="value.detach()")) == []
    assert certain(CUT.format(made="value * 2")) == ["other"]


CUT_IN_LISTS = """
from copy import deepcopy
from typing import List, Tuple
class Thing:
    pass
def cut(thing, parent=None, key=None, active=None):
    active = set() if active is None else active
    if id(thing) in active:
        return
    active.add(id(thing))
    if hasattr(thing, "__dict__"):
        for name, value in thing.__dict__.items():
            cut(value, thing, name, active)
    elif isinstance(thing, {lists}):
        setattr(parent, key, type(thing)([value.detach() for value in thing]))
    active.remove(id(thing))
root = Thing()
root.own = root
root.first = [torch.tensor(1.0, requires_grad=True) * 2]
cut(root)
deepcopy(root)
"""


def test_a_list_has_no_dictionary_and_each_object_a_number() -> None:
    assert kinds(CUT_IN_LISTS.format(lists="(List, Tuple)")) == []
    assert certain(CUT_IN_LISTS.format(lists="(Tuple, dict)")) == ["other"]


EVENTS = """
class Hooks{bases}:
    def after(self):
        pass
class More(Hooks):
    pass
w = torch.ones(2, requires_grad=True)
for name in ("after", "__init__", "before"):
    if hasattr(More, name) == {wrong}:
        w.add_(1)
"""


@pytest.mark.parametrize(
    ("wrong", "found"), [('(name == "before")', []), ('(name != "before")', ["leaf-modified"] * 3)]
)
def test_a_class_has_what_it_and_its_bases_define(wrong: str, found: list[str]) -> None:
    assert certain(EVENTS.format(bases="", wrong=wrong)) == found[:1]


def test_what_a_class_has_from_outside_is_unknown() -> None:
    text = "from elsewhere import Base\n" + EVENTS.format(bases="(Base)", wrong="True")
    assert certain(text) == ["leaf-modified"]  # it has what it defines itself
    assert certain(text.replace('"after", "__init__", "before"', '"before",')) == []


PROPERTY = """
class Holder{bases}:
    def __init__(self):
        super().__init__()
        self._w = torch.zeros(2)
    @property
    def w(self):
        return self._w
    @w.setter
    def w(self, value):
        self._w = {kept}
holder = Holder()
holder.w = torch.ones(2, requires_grad=True)
holder.w.sum().backward()
"""


@pytest.mark.parametrize("bases", ["", "(nn.Module)"])
@pytest.mark.parametrize(("kept", "found"), [("value", []), ("value.detach()", ["no-grad-root"])])
def test_an_assignment_to_a_property_runs_its_setter(
    bases: str, kept: str, found: list[str]
) -> None:
    assert certain(PROPERTY.format(bases=bases, kept=kept)) == found


def test_a_derived_class_may_set_the_property_of_its_base() -> None:
    derived = (
        "class Other(Holder):\n"
        "    @Holder.w.setter\n"
        "    def w(self, value):\n"
        "        self._w = value.detach()\n"
        "holder = Other()\n"
    )
    program = PROPERTY.format(bases="", kept="value").replace("holder = Holder()\n", derived)
    assert certain(program) == ["no-grad-root"]


def test_a_module_takes_parameters_itself() -> None:
    program = PROPERTY.format(bases="(nn.Module)", kept="value.detach()").replace(
        "holder.w = torch.ones(2, requires_grad=True)", "holder.v = nn.Parameter(torch.ones(2))"
    )
    assert certain(program.replace("holder.w.sum()", "holder.v.sum()")) == []


@pytest.mark.parametrize("setter", ["Holder.w.fset", "super(Other, type(self)).w.fset"])
def test_the_setter_of_a_base_is_called_by_name(setter: str) -> None:
    derived = (
        "class Other(Holder):\n"
        "    @Holder.w.setter\n"
        "    def w(self, value):\n"
        f"        {setter}(self, value)\n"
        "holder = Other()\n"
    )
    program = PROPERTY.format(bases="", kept="value.detach()")
    assert certain(program.replace("holder = Holder()\n", derived)) == ["no-grad-root"]


CALLED = """
class Holder:
    def read(self):
        return self._w
    def write(self, value):
        self._w = value
    w = property(read{setter})
    name = staticmethod(lambda value: value)
holder = Holder()
holder.{set} = torch.ones(2, requires_grad=True)
kept = holder.name(holder.w)
kept += 1
"""


@pytest.mark.parametrize(("setter", "name"), [("", "_w"), (", write", "w"), (", fset=write", "w")])
def test_a_property_may_be_made_by_a_call(setter: str, name: str) -> None:
    assert certain(CALLED.format(setter=setter, set=name)) == ["leaf-modified"]
