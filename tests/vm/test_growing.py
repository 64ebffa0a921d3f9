"""Values that grow without bound are known up to a size, and what follows them is still seen."""

import pytest

from autograd_lint.vm.patterns import is_cheap
from tests.vm.running import faults, kinds

MISTAKE = "\nw = torch.ones(3, requires_grad=True)\nw.add_(1)\n"
GROWING = {
    "a pattern of nested repetitions": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "a pattern of choices": "import re\nre.fullmatch('(a|a)*b', 'a' * 60)",
    "comprehensions in each other": f"v = {'[x for x in ' * 40}[x]{']' * 40}",
    "elements in each other": f"v = {'[' * 12}x{' for _ in range(16)]' * 12}",
    "a text doubled": "t = 'ab'\n" + "t = t + t\n" * 60,
    "a text doubled in place": "t = 'ab'\n" + "t += t\n" * 60,
    "a text formatted": "t = 'ab'\n" + "t = f'{t}{t}'\n" * 60,
    "a text replaced": "t = 'ab'\n" + "t = t.replace('', t)\n" * 60,
    "a text widened": "t = '%999999999d' % 5",
    "a list doubled": "a = [x]\n" + "a = a + a\n" * 60,
    "a list extended": "a = [x]\n" + "a.extend(a)\n" * 60,
    "a list of copies": "import copy\na = [x]\n" + "a = [copy.deepcopy(a), a]\n" * 40,
    "a power of powers": "p = 9\n" + "p = p ** p\n" * 20,
    "elements of a large tensor": "v = torch.ones(10 ** 9).split(1)",
    "parts of a large tensor": "v = torch.ones(10 ** 9).tensor_split(10 ** 9)",
    "classes derived from each other": "class C0: pass\n"
    + "".join(f"class C{i + 1}(C{i}): pass\n" for i in range(1_500)),
    "cases": "match x.sum():\n" + "".join(f"    case {i}:\n        pass\n" for i in range(3_000)),
    "lists in each other": f"v = {'[' * 150}x{']' * 150}",
    "many statements": "a = 1\n" * 25_000,
    "a long text": f"t = {'a' * 99_999!r}\nt = t.replace('a', t)",
}


@pytest.mark.parametrize("kind", GROWING)
def test_the_mistake_behind_is_seen(kind: str) -> None:
    text = f"import torch\nx = torch.ones(3, requires_grad=True)\n{GROWING[kind]}{MISTAKE}"
    assert kinds(text) == ["leaf-modified"]


def test_a_comprehension_goes_through_its_source_once() -> None:
    program = "w = torch.ones(3, requires_grad=True)\nmade = [x for x in [w.add_(1)]]\n"
    assert len(faults(program)) == 1


@pytest.mark.parametrize(
    "pattern",
    [r"layer\d+", r"^(.*)\.(\d+)$", "a|b|c", r"[^.]*\.bias", r"(?P<name>\w+)_0", "x{2,3}"],
)
def test_plain_patterns_are_cheap(pattern: str) -> None:
    assert is_cheap(pattern, "layer1.bias")


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+", "(a|a)*", "(a?){30}a", "a*a*a*", r"(a)\1", "(?=a)a", "(?i:a)", "a{1000}", "[a"],
)
def test_what_may_try_long_is_not(pattern: str) -> None:
    assert not is_cheap(pattern, "a" * 40)


def test_nothing_is_cheap_on_a_long_text() -> None:
    assert not is_cheap("a+", "a" * 1000)
