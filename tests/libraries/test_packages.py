"""What functions of other packages return."""

import pytest

from tests.vm.running import certain, kinds


@pytest.mark.parametrize("number", ["math.log(2.0)", "math.sqrt(n)", "time.time()", "math.pi * n"])
def test_numbers_need_no_gradient(number: str) -> None:
    text = f"import math\nimport time\ndef f(n):\n    y = torch.exp(torch.ones(3) * ({number}))\n"
    assert kinds(text + "    y += 1\n    return y\n") == []


@pytest.mark.parametrize("maker", ["FloatTensor(3)", "Tensor([1.0])", "LongTensor([1, 2])"])
def test_old_constructors_make_leaves_without_gradient(maker: str) -> None:
    assert certain(f"y = torch.{maker}\ny += 1\ny.sum().backward()\n") == ["no-grad-root"]


GRAPH = "import numpy as np\nw = torch.ones(3, requires_grad=True)\n"


def test_numpy_is_given_a_list_with_graphs() -> None:
    assert certain(GRAPH + "np.sum([w.sum(), w.mean()])\n") == ["numpy-on-grad"]


def test_a_ufunc_is_given_a_graph() -> None:
    assert certain(GRAPH + "np.exp(w)\n") == ["numpy-on-grad"]


def test_numpy_is_given_what_was_detached() -> None:
    assert certain(GRAPH + "np.sum([w.sum().detach()])\n") == []


@pytest.mark.parametrize("asked", ["jit.is_scripting", "jit.is_tracing", "compiler.is_compiling"])
def test_code_is_run_as_python(asked: str) -> None:
    text = f"w = torch.ones(3, requires_grad=True)\nif torch.{asked}():\n    w += 1\n"
    assert kinds(text) == []


OLDER = """
import re
def older(version, other):
    def parts(text):
        found = re.match(r"^[\\d.]+", text)
        return tuple(int(part) for part in found.group().split(".")[:2])
    (major, minor), (other_major, other_minor) = parts(version), parts(other)
    return major < other_major or (major == other_major and minor < other_minor)
w = torch.ones(3, requires_grad=True)
if older(torch.__version__, "{than}"):
    w.add_(1)
"""


def test_versions_are_compared_as_the_program_does() -> None:
    assert kinds(OLDER.format(than="0.4.0")) == []
    assert kinds(OLDER.format(than="99.1")) == ["leaf-modified"]


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("np.isnan(np.nan)", ["saved-tensor-modified"]),
        ("np.isnan(0.0)", []),
        ("np.isfinite(np.inf)", []),
    ],
)
def test_numpy_tells_what_a_number_is(test: str, found: list[str]) -> None:
    text = f"{GRAPH}y = w.exp()\nif {test}:\n    y += 1\ny.sum().backward()\n"
    assert certain(text) == found
