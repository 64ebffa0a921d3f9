"""What classes, iterators and contexts of a program do is what they do in Python."""

from __future__ import annotations

import pytest

from autograd_lint.vm.plain import plain
from autograd_lint.vm.scope import Missing
from tests.vm.running import bound

# Programs without a backward are not run.
BACKWARD = "\nimport torch\ntorch.ones(2, requires_grad=True).sum().backward()\n"

ENUMERATIONS = {
    "a member has a name and a value": """
from enum import Enum
class Mode(Enum):
    TRAIN = "train"
    EVAL = "eval"
    def short(self): return self.value[0]
result = [Mode.TRAIN.value, Mode.EVAL.name, Mode.TRAIN.short(), bool(Mode.EVAL), not Mode.EVAL]
""",
    "a member is found by its value or name, and is one object": """
from enum import Enum
class Mode(Enum):
    TRAIN = "train"
    EVAL = "eval"
result = [Mode("train") is Mode.TRAIN, Mode["EVAL"] is Mode.EVAL, Mode.TRAIN == Mode.EVAL]
""",
    "an enumeration has its members in order": """
from enum import Enum, auto
class Color(Enum):
    RED = auto()
    BLUE = auto()
    CRIMSON = 1
result = [[one.name for one in Color], len(Color), Color.BLUE.value, list(Color.__members__)]
result += [Color.RED in Color, hasattr(Color, "BLUE"), Color.CRIMSON is Color.RED]
""",
    "members of texts and numbers compare as these": """
from enum import Enum, IntEnum
class Kind(str, Enum):
    A = "aa"
    B = "bb"
class Level(IntEnum):
    LOW = 0
    HIGH = 5
result = [Kind.A == "aa", Kind("bb") is Kind.B, Kind.A in ("aa",), Kind.A.upper()]
result += [Level.LOW < Level.HIGH, Level.HIGH + 1, int(Level.HIGH), bool(Level.LOW)]
""",
    "members are found in tables, and not others in their place": """
from enum import Enum
class Mode(Enum):
    TRAIN = "train"
    EVAL = "eval"
table = {Mode.TRAIN: 1}
result = [table[Mode.TRAIN], table.get(Mode.EVAL, 0), Mode.EVAL in table]
""",
    "the parts of a value are given to the constructor of a member": """
from enum import Enum
class Planet(Enum):
    EARTH = (1, 2)
    MARS = (3, 4)
    def __init__(self, mass, radius): self.mass, self.radius = mass, radius
result = [Planet.EARTH.mass, Planet.MARS.radius, Planet((3, 4)) is Planet.MARS]
""",
    "a copy of what holds a member holds the same": """
import copy
from enum import Enum
class Mode(Enum):
    TRAIN = 1
class Options:
    def __init__(self): self.mode = Mode.TRAIN
result = copy.deepcopy(Options()).mode is Mode.TRAIN
""",
}
ITERATORS = {
    "an iterator gives each element once": """
numbers = iter([1, 2, 3])
first = next(numbers)
result = [first, [one for one in numbers], next(numbers, "none"), list(numbers)]
""",
    "a generator does too": """
def count():
    yield 1
    yield 2
made = count()
squares = (one * one for one in range(3))
result = [next(made), next(made), next(made, 0), next(squares), list(squares), list(squares)]
""",
    "a loop and next share an iterator": """
def pairs(values):
    values = iter(values)
    for one in values: yield one, next(values)
result = list(pairs([1, 2, 3, 4]))
""",
    "values come back again and again": """
import itertools
turns = itertools.cycle([1, 2])
result = [next(turns), next(turns), next(turns)]
""",
}
CLASSES = {
    "an object says itself whether it is true": """
class Queue:
    def __init__(self, *given): self.given = given
    def __len__(self): return len(self.given)
class Flag:
    def __init__(self, on): self.on = on
    def __bool__(self): return self.on
result = [bool(Queue()), not Queue(1), any([Flag(False), Flag(True)])]
result.append("yes" if Flag(False) else "no")
""",
    "a descriptor is told its name": """
class Field:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, owner, kind=None): return "field " + self.name
class Form:
    size = Field()
result = Form().size
""",
    "an object takes its attributes itself": """
class Around:
    def __init__(self, inner): object.__setattr__(self, "inner", inner)
    def __getattr__(self, name): return getattr(self.inner, name)
    def __setattr__(self, name, value): setattr(self.inner, name, value)
class Plain:
    def __setattr__(self, name, value): super().__setattr__(name, value + 1)
inner, plain = Plain(), Plain()
plain.y = 1
Around(inner).x = 3
result = [inner.x, Around(inner).x, plain.y]
""",
    "a property keeps its first result, and a function that remembers": """
import functools
calls = []
class Grid:
    @functools.cached_property
    def size(self): calls.append(1); return 7
    @functools.lru_cache(maxsize=None)
    def scaled(self, by): calls.append(by); return by * 2
grid = Grid()
result = [grid.size, grid.size, grid.scaled(3), grid.scaled(3), grid.scaled(4), calls]
""",
    "a class is equal to itself alone": """
class One: pass
class Two(One): pass
result = [type(Two()) == Two, type(Two()) == One, type(One()) != Two]
""",
    "a named tuple is a tuple": """
from typing import NamedTuple
class Output(NamedTuple):
    loss: float
    count: int = 3
    def total(self): return self.loss + self.count
loss, count = output = Output(1.5)
result = [loss, count, output[1], len(output), output.total(), list(output)]
""",
    "a dictionary makes what it lacks, and may be its own attributes": """
class Doubles(dict):
    def __missing__(self, key): self[key] = key * 2; return self[key]
class Options(dict):
    def __init__(self, **given): super().__init__(**given); self.__dict__ = self
doubles, options = Doubles(), Options(rate=1)
options.steps = 5
result = [doubles[4], len(doubles), options.rate, options["steps"], "steps" in options]
""",
}
CONTEXTS = {
    "an object catches what is raised inside": """
seen = []
class Catching:
    def __enter__(self): return "in"
    def __exit__(self, kind, error, trace): seen.append(kind is not None); return True
with Catching() as entered: raise ValueError
with Catching(): seen.append(entered)
result = seen
""",
    "a loop without a condition ends where it is left": """
rounds = []
while True:
    rounds.append(1)
    if len(rounds) == 7: break
result = len(rounds)
""",
}
VALUES = {
    "the largest and the smallest": """
import functools
at_least = functools.partial(max, 5)
result = [at_least(2), at_least(9), max([1, 3, 2]), min(x for x in (2, 1)), max([], default=0)]
""",
    "what is asked of two sets": """
result = [{1}.issubset({1, 2}), {1, 2}.issuperset([1]), {1}.isdisjoint((2,)), {1}.isdisjoint({1})]
""",
    "named parts, and an object as a dictionary": """
from collections import deque, namedtuple, OrderedDict
from dataclasses import asdict, dataclass
Point = namedtuple("Point", "x y")
@dataclass
class Inner:
    rate: float = 0.5
@dataclass
class Options:
    inner: Inner
    steps: int = 3
turned, moved = deque([1, 2, 3]), OrderedDict(a=1, b=2)
turned.rotate(1)
moved.move_to_end("a")
options = asdict(Options(Inner()))
result = [Point(1, 2)._replace(y=5).y, Point(1, 2)._asdict()["x"], list(Point(1, 2)._fields)]
result += [options["steps"], options["inner"]["rate"], list(turned), list(moved)]
""",
    "what a list or set contains": """
result = [[1] in [[1], [2]], (1, 2) in {(1, 2)}, [3] in [[1]], frozenset([1]) in {frozenset([1])}]
""",
}
PROGRAMS = {**ENUMERATIONS, **ITERATORS, **CLASSES, **CONTEXTS, **VALUES}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_computes_what_it_does_in_python(program: str) -> None:
    names: dict[str, object] = {}
    exec(program, names)
    value = bound(program + BACKWARD, "result")
    assert not isinstance(value, Missing)
    assert plain(value) == names["result"]


GIVEN_LATER = """
class Catching:
    def __enter__(self): return self
    def __exit__(self, *raised): return {answer}
with Catching():
    raise ValueError
result = 1
"""


def test_what_a_context_does_not_catch_ends_the_program() -> None:
    assert bound(GIVEN_LATER.format(answer="True") + BACKWARD, "result") == 1
    assert isinstance(bound(GIVEN_LATER.format(answer="None") + BACKWARD, "result"), Missing)


def test_how_many_rounds_a_loop_takes_that_does_not_end_in_sight_is_not_known() -> None:
    program = "seen = []\nwhile True:\n    seen.append(1)\nresult = len(seen)\n"
    value = bound(program + BACKWARD, "result")
    assert isinstance(value, Missing) or isinstance(plain(value), Missing)


GRADIENTS = """
import contextlib
import torch
w = torch.ones(2, requires_grad=True)
with contextlib.ExitStack() as stack:
    stack.enter_context(torch.no_grad())
    result = (w * 2).requires_grad
"""


def test_what_is_put_on_a_stack_of_contexts_holds_until_the_stack_is_left() -> None:
    program = GRADIENTS + "after = (w * 2).requires_grad\n"
    assert bound(program + BACKWARD, "result") is False
    assert bound(program + BACKWARD, "after") is True
