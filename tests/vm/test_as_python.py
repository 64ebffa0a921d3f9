"""What the machine knows of a value is what Python gives."""

from __future__ import annotations

import pytest

from autograd_lint.vm.plain import plain
from autograd_lint.vm.scope import Missing
from autograd_lint.vm.values import Value
from tests.vm.running import bound

# Programs without a backward are not run.
HEAD = "import collections, functools, torch\ntorch.ones(2, requires_grad=True).sum().backward()\n"

TEXTS = [
    "'layer1.weight'[:5]",
    "'layer1.weight'[-6:]",
    "'abc'[-1]",
    "'abc'[::-1]",
    "'abc'[5:]",
    "'fc.bias'.endswith(('weight', 'bias'))",
    "'fc.bias'.startswith(('bn', 'norm'))",
    "'7'.zfill(3)",
    "'ab'.center(6, '*')",
    "'ab'.ljust(4) + 'ab'.rjust(4, '.')",
    "f'{3.14159:.2f}'",
    "f'{10:04d}'",
    "f'{1e-5:.1e}'",
    "f'{True!r:>5}'",
    "f'{2.5:>{6}}'",
]
NUMBERS = [
    "int('101', 2)",
    "int('ff', base=16)",
    "functools.partial(int, base=2)('101')",
    "bool([])",
    "bool([0])",
    "bool({})",
    "bool({'a': 1})",
    "type(3) is int",
    "type(True) is int",
    "type('a') == str",
    "type(2.5)(3)",
    "True in [0, 1]",
    "1.0 in [1, 2]",
    "'1' in [1]",
]
CONTAINERS = [
    "[1, 2] == [1, 2]",
    "[1, 2] == [2, 1]",
    "(1, 2) == [1, 2]",
    "(1, 2) != (1, 2)",
    "(1, 2, 3) < (2,)",
    "{1, 2} <= {1, 2, 3}",
    "{1, 2} == {2, 1}",
    "[[1], (2, 'a')] == [[1], (2, 'a')]",
    "[3, 1] == sorted([3, 1])",
    "list(collections.deque([1, 2, 3], maxlen=2))",
    "collections.defaultdict(int, a=2)['a']",
    "collections.defaultdict(int, a=2)['b']",
    "list(filter(None, [0, 1, '', 'a']))",
]
ATTRIBUTES = [
    "getattr(3, 'nope', 'otherwise')",
    "getattr(None, 'shape', (1,))",
    "hasattr('a', 'lower')",
    "hasattr(3, 'append')",
]
REFUSED = ["'abc'[5]", "f'{2.5:d}'", "int('zz', 2)", "str(b'a', 'nope')", "{([1],)} == {1}"]


DIAMOND = """
class Base:
    def told(self): return "base"
class Left(Base):
    def told(self): return "left " + super().told()
class Right(Base):
    def told(self): return "right " + super().told()
class Both(Left, Right):
    def told(self): return "both " + super().told()
result = Both().told()
"""
MIXED_IN = """
class Logged:
    def step(self): return ["logged", *super().step()]
class Timed:
    def step(self): return ["timed", *super().step()]
class Trainer:
    def step(self): return ["trained"]
class Mine(Logged, Timed, Trainer): pass
result = Mine().step()
"""
BY_TWO = """
counts = {}
for word in "the quick the lazy the".split(): counts[word] = counts.get(word, 0) + 1
result = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
"""


def value_of(program: str) -> Value | Missing:
    """What a program calls `result` on the machine; MISSING where its run ends before."""
    return bound(HEAD + program, "result")


@pytest.mark.parametrize("expression", [*TEXTS, *NUMBERS, *CONTAINERS, *ATTRIBUTES])
def test_what_is_known_altogether_is_what_python_gives(expression: str) -> None:
    names: dict[str, object] = {}
    exec(f"{HEAD}result = {expression}\n", names)
    value = value_of(f"result = {expression}\n")
    assert not isinstance(value, Missing)
    assert repr(plain(value)) == repr(names["result"])


@pytest.mark.parametrize("expression", REFUSED)
def test_what_python_refuses_has_no_value(expression: str) -> None:
    value = value_of(f"result = {expression}\n")
    assert isinstance(value, Missing) or isinstance(plain(value), Missing)


def test_what_has_too_many_parts_is_not_known_altogether() -> None:
    many = "a = [1] * 900\nb = [a] * 900\nresult = [b, b] == [b, b]\n"
    value = value_of(many)
    assert not isinstance(value, Missing)
    assert isinstance(plain(value), Missing)


@pytest.mark.parametrize("counted", ["'abc'[i:]", "[i] == [0]", "f'{i:02d}'"])
def test_how_far_a_loop_of_unknown_length_has_come_is_not_known(counted: str) -> None:
    value = value_of(f"result = [{counted} for i in range(int(input()))]\n")
    assert not isinstance(value, Missing)
    assert isinstance(plain(value), Missing)


@pytest.mark.parametrize("program", [DIAMOND, MIXED_IN, BY_TWO])
def test_methods_are_asked_and_elements_sorted_in_the_order_of_python(program: str) -> None:
    names: dict[str, object] = {}
    exec(program, names)
    value = value_of(program)
    assert not isinstance(value, Missing)
    assert plain(value) == names["result"]
