"""What autograd asks of custom Functions."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, certain, faults, kinds

FUNCTION = """class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        {forward}
    @staticmethod
    def backward(ctx, grad):
        {backward}
w = torch.ones(3, requires_grad=True)
a = w.clone()
y = F.apply(a, 2.0)
"""


SAVING = "ctx.save_for_backward(x); return x * k"
READING = "ctx.saved_tensors; return grad, None"


def program(forward: str = "return x * k", backward: str = "return grad, None") -> str:
    """A Function, applied once."""
    return FUNCTION.format(forward=forward, backward=backward)


def test_a_gradient_for_each_argument_is_right() -> None:
    assert certain(program() + "y.sum().backward()\n") == []


@pytest.mark.parametrize(
    "returned", ["grad", "grad, None, grad", "grad, grad", "2.0, None", "[grad, None]"]
)
def test_wrong_gradients_are_found_in_backward(returned: str) -> None:
    text = program(backward=f"return {returned}") + "y.sum().backward()\n"
    assert certain(text) == ["custom-function"]


def test_further_gradients_of_none_are_tolerated() -> None:
    assert certain(program(backward="return grad, None, None") + "y.sum().backward()\n") == []


@pytest.mark.parametrize(
    "forward",
    [
        "ctx.save_for_backward(x, k); return x * k",
        "x.add_(1); ctx.mark_dirty(x); return x * k",
        "y = x + 1; ctx.mark_dirty(y); return y",
    ],
)
def test_what_ctx_refuses_is_found_in_forward(forward: str) -> None:
    assert certain(program(forward)) == ["custom-function"]


def test_a_function_without_backward_is_found_in_backward() -> None:
    text = "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    text += "        return x * 2\nw = torch.ones(3, requires_grad=True)\n"
    assert certain(text + "F.apply(w).sum().backward()\n") == ["custom-function"]


def test_saved_tensors_are_checked_as_they_are_read() -> None:
    text = program(SAVING, READING) + "a.add_(1)\ny.sum().backward()\n"
    assert certain(text) == ["saved-tensor-modified"]


def test_what_is_never_read_is_never_missed() -> None:
    assert certain(program(SAVING) + "z = y.sum()\nz.backward()\nz.backward()\n") == []


def test_reading_what_was_freed_is_refused() -> None:
    text = program(SAVING, READING) + "z = y.sum()\nz.backward()\nz.backward()\n"
    assert certain(text) == ["graph-freed"]


ONCE = """
from torch.autograd.function import once_differentiable
class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    {mark}
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cos()
layer = nn.Linear(3, 1)
x = torch.ones(3, requires_grad=True)
(g,) = torch.autograd.grad(layer(Sine.apply(x)).sum(), x, create_graph=True)
g.sum().{last}
"""


@pytest.mark.parametrize(
    ("mark", "last", "expected"),
    [
        ("@once_differentiable", "backward()", ["custom-function"]),
        ("@once_differentiable", "item()", []),
        ("# may be differentiated again", "backward()", []),
    ],
)
def test_what_is_differentiable_once(mark: str, last: str, expected: list[str]) -> None:
    assert certain(ONCE.format(mark=mark, last=last)) == expected


GATHERED = """
class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, group, x):
        return tuple([x.clone() for _ in range(group.size())])

    @staticmethod
    def backward(ctx, *gradients):
        return None, gradients[0]


class Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, group, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return (None,) + Gather.apply(None, gradient)


def scatter(group, x):
    Scatter.apply(group, x).sum().backward()
"""


def test_gradients_are_not_counted_where_their_number_is_not_known() -> None:
    assert kinds(GATHERED) == []
    three = GATHERED.replace("Gather.apply(None, gradient)", "(gradient, gradient)")
    assert kinds(three) == ["custom-function"]


TWICE = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, gradient):
        {read}
        return gradient * {by}

x = torch.ones(3, requires_grad=True)
(first,) = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
first.sum().backward()
"""


def test_gradients_of_what_a_custom_function_saved_have_a_graph() -> None:
    reading = "(x,) = ctx.saved_tensors"
    assert certain(TWICE.format(read=reading, by="x.exp()")) == []


def test_gradients_through_unknown_code_may_have_a_graph() -> None:
    text = (
        "import other\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "(y,) = torch.autograd.grad(other.f(x).sum(), x, create_graph=True)\n"
        "torch.autograd.grad(y.sum(), x)\n"
    )
    assert certain(text) == []


DRIVEN = """
from torch.autograd import Function
class Kernel(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        y.add_(1)
        return y

    @staticmethod
    def backward(ctx, gradient):
        y = gradient.exp()
        return y.add_(1)
"""


def test_nobody_but_autograd_calls_the_methods_of_a_custom_function() -> None:
    assert kinds(DRIVEN) == []
    assert kinds(DRIVEN.replace("(Function)", "").replace("ctx, ", "")) == ["saved-tensor-modified"]


KEPT_ON_CTX = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = {kept}
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2, None

def f(x, factor):
    w = torch.ones(3, requires_grad=True)
    for _ in range(2):
        F.apply(w, factor).sum().backward()
"""


def test_what_may_be_a_number_may_be_kept_on_ctx() -> None:
    assert kinds(KEPT_ON_CTX.format(kept="factor")) == []
    assert kinds(KEPT_ON_CTX.format(kept="x")) == ["kept-on-context"]


OPTIONS = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, options):
        options[{key}] = True
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2, gradient

def f(options):
    w = torch.ones(3, requires_grad=True)
    return F.apply(w, options)
"""


def test_what_is_given_a_name_is_a_dictionary() -> None:
    assert kinds(OPTIONS.format(key="'inner'")) == []
    assert kinds(OPTIONS.format(key="0")) == ["not-marked-dirty"]
    assert certain(OPTIONS.format(key="0")) == []


CLASS_METHODS = """
class Both(torch.autograd.Function):
    @classmethod
    def forward(cls, ctx, *tensors):
        return tuple(tensor * 2 for tensor in tensors)

    @classmethod
    def backward(cls, ctx, *gradients):
        return gradients{kept}

a = torch.ones(3, requires_grad=True)
x, y = Both.apply(a, a.exp())
(x + y).sum().backward()
"""


def test_methods_of_the_class_are_given_the_class() -> None:
    assert certain(CLASS_METHODS.format(kept="")) == []
    assert certain(CLASS_METHODS.format(kept="[:1]")) == ["custom-function"]


STATISTICS = """
class Normalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mean):
        mean.mul_(0.9)
        {told}
        return x - 1, mean

    @staticmethod
    def backward(ctx, gradient, _):
        return gradient, None

def f(x, mean):
    return Normalize.apply(x, mean)
"""


def test_what_is_given_and_marked_as_dirty() -> None:
    assert kinds(STATISTICS.format(told="ctx.mark_dirty(mean)")) == []
    assert kinds(STATISTICS.format(told="pass")) == ["not-marked-dirty"]


def test_what_is_kept_on_the_context_and_saved_as_well() -> None:
    kept = "ctx.mark_dirty(mean); y = x.contiguous(); ctx.y = y; "
    assert kinds(STATISTICS.format(told=kept + "ctx.save_for_backward(y)")) == []
    assert kinds(STATISTICS.format(told=kept)) == ["kept-on-context"]


STARTED = """
class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, start):
        start[:] = a
        return a * 2

    @staticmethod
    def backward(ctx, gradient):
        found = [None] * 2
        found[{given}] = gradient
        return tuple(found)

def solve(a, start):
    return Solve.apply(a, start)
"""


def test_gradients_in_a_list_that_is_filled() -> None:
    assert kinds(STARTED.format(given=0)) == []
    assert kinds(STARTED.format(given=1)) == ["not-marked-dirty"]


NEIGHBOURS = """
class Neighbours(torch.autograd.Function):
    @staticmethod
    def forward(ctx, points, known, count):
        return points * 1, known * 1

    @staticmethod
    def backward(ctx, {takes}):
        {gives}

points = torch.ones(3, requires_grad=True)
near, far = Neighbours.apply(points, torch.ones(3), 3)
(near + far).sum().backward()
"""


def test_a_backward_that_says_that_there_is_no_gradient() -> None:
    silent = NEIGHBOURS.format(takes="a, b", gives="return None, None")
    raising = NEIGHBOURS.format(takes="gradient", gives="raise NotImplementedError")
    assert kinds(silent) == kinds(raising) == []
    assert kinds(silent.replace("return None, None", "return None")) == []
    assert kinds(silent.replace("return None, None", "return a, None")) == ["custom-function"]
    assert kinds(raising.replace("raise NotImplementedError", "return gradient, None, None")) == [
        "custom-function"
    ]


def test_an_object_that_is_called_is_told_of_once() -> None:
    text = (
        "class Double(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x * 2\n"
        "    @staticmethod\n"
        "    def backward(ctx, grad):\n"
        "        return grad * 2\n"
    )
    assert [fault.warned for fault in faults(text + "Double()\n")] == []
    assert [fault.warned for fault in faults(text + "Double()(torch.ones(3))\n")] == [False]


WITHOUT_BACKWARD = """
class Sphere(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rays, radius):
        return rays * radius

def train(rays, radius, layer: nn.Module):
    rays = {rays}
    layer(Sphere.apply(rays, radius)).sum().backward()
"""


def test_who_writes_no_backward_takes_what_is_given_for_data() -> None:
    assert kinds(WITHOUT_BACKWARD.format(rays="rays")) == []
    assert kinds(WITHOUT_BACKWARD.format(rays="nn.Linear(3, 3)(rays)")) == ["custom-function"]


OUTPUT = """
import extension

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, graph, x):
        out = extension.run(graph, x)
        ctx.cache = {kept}
        return {returned}

    @staticmethod
    def backward(ctx, *gradients):
        return None, gradients[0] * 2
"""


@pytest.mark.parametrize(
    ("kept", "returned", "found"),
    [
        ("(graph, out)", "out", True),
        ("out", "out", True),
        ("graph", "out", False),
        # Of several results some may be indices.
        ("out", "x * 2, out", False),
    ],
)
def test_a_result_of_unknown_code_is_kept_on_ctx(kept: str, returned: str, found: bool) -> None:
    expected = ["kept-on-context"] if found else []
    assert kinds(OUTPUT.format(kept=kept, returned=returned)) == expected


FILTER = """
class Filter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, features, sigmas=None):
        features /= 2
        return x * features

    @staticmethod
    def backward(ctx, gradient):
        {gives}
"""


def test_what_a_backward_that_only_raises_is_given_is_data() -> None:
    assert kinds(FILTER.format(gives="raise NotImplementedError")) == []
    assert kinds(FILTER.format(gives="return gradient, gradient, None")) == ["not-marked-dirty"]


ENTROPY = """
class Entropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits):
        softmax = logits.softmax(-1)
        ctx.save_for_backward(softmax)
        return softmax.log().sum()

    @staticmethod
    def backward(ctx, gradient):
        (softmax,) = ctx.saved_tensors
        softmax.mul_(gradient)
        return {gives}
"""
TWICE = """
logits = torch.ones(3, requires_grad=True)
loss = Entropy.apply(logits)
loss.backward(retain_graph=True)
loss.backward()
"""


def test_what_was_saved_is_written_to_be_the_gradient() -> None:
    given_back, kept = ENTROPY.format(gives="softmax"), ENTROPY.format(gives="softmax + 1")
    assert kinds(given_back) == []
    assert kinds(kept) == ["saved-tensor-modified"]
    assert certain(given_back + TWICE) == ["saved-tensor-modified"]


TABLES = """
class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, table):
        ctx.table = table.contiguous()
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return {gives}
"""


def test_what_is_kept_that_never_gets_a_gradient() -> None:
    assert kinds(TABLES.format(gives="gradient, None")) == []
    assert kinds(TABLES.format(gives="gradient, gradient")) == ["kept-on-context"]


ASKED = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, table):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        if ctx.needs_input_grad[0]:
            return {gives}
        return None
"""


def test_backward_runs_where_an_input_needs_it() -> None:
    assert kinds(ASKED.format(gives="gradient, None")) == []
    found = analyse(Source("a.py", HEAD + ASKED.format(gives="gradient, gradient")))
    assert [one.kind.value for one in found] == ["custom-function"]


LIBRARY = """
kernels = None
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return kernels.backward(gradient)

def build():
    {bound}
    kernels = library.load()
"""


def test_a_name_that_a_function_sets_is_set_by_then() -> None:
    assert kinds(LIBRARY.format(bound="global kernels")) == []
    assert kinds(LIBRARY.format(bound="pass")) == ["custom-function"]


COUNTED = """
class Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, counts):
        found = torch.empty(3)
        pooled = x * 2
        ctx.kept = (found, 3)
        {marked}
        return pooled, found
    @staticmethod
    def backward(ctx, grad, unused):
        found, size = ctx.kept
        return grad * size, None
Pool.apply(torch.rand(3, requires_grad=True), 3)[0].sum().backward()
"""


def test_a_result_that_is_constant_may_be_kept_on_the_context() -> None:
    assert certain(COUNTED.format(marked="ctx.mark_non_differentiable(found)")) == []
    assert certain(COUNTED.format(marked="pass")) == ["kept-on-context"]


OUTPUT_KEPT = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.outputs = {kept}
        return y

    @staticmethod
    def backward(ctx, gradient):
        y = {read}
        {after}
        return gradient * y

F.apply(torch.ones(3, requires_grad=True)).sum().backward()
"""


@pytest.mark.parametrize(
    ("kept", "read", "after"),
    [
        ("[y]", "ctx.outputs.pop()", "pass"),
        ("y", "ctx.outputs", "del ctx.outputs"),
        ("y", "ctx.outputs", "ctx.outputs = None"),
    ],
)
def test_an_output_that_backward_takes_off_ctx_is_no_cycle(
    kept: str, read: str, after: str
) -> None:
    assert kinds(OUTPUT_KEPT.format(kept=kept, read=read, after=after)) == []


def test_an_output_that_stays_on_ctx_is_one() -> None:
    text = OUTPUT_KEPT.format(kept="[y]", read="ctx.outputs[0]", after="pass")
    assert certain(text) == ["kept-on-context"]


UNKNOWN_DTYPE = """
class Open(torch.autograd.Function):
    @staticmethod
    def forward(ctx, level):
        return (level >= 0.5).to({dtype})

    @staticmethod
    def backward(ctx, grad):
        return grad

Open.apply(torch.ones(3, requires_grad=True)).sum().backward()
"""


@pytest.mark.parametrize(
    ("dtype", "found"), [("level.dtype", []), ("torch.long", ["no-grad-root"])]
)
def test_what_takes_the_dtype_of_another_tensor_may_hold_fractions(
    dtype: str, found: list[str]
) -> None:
    assert kinds(UNKNOWN_DTYPE.format(dtype=dtype)) == found
