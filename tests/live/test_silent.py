"""Writes that the version counter does not see: told when values changed, and only then."""

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from tests.live.programs import Run

HEAD = """
import torch
x = torch.zeros(3, requires_grad=True)
h = torch.sigmoid(x)
"""
TAIL = "\nh.sum().backward()\n"

WRITES = {
    ".data": "h.data.add_(1)",
    "numpy": "h.detach().numpy()[...] += 1",
    "numpy kept": "a = h.detach().numpy(); a += 1",
    "numpy of another name": "__import__('numpy').asarray(h.detach())[0] = 7",
    "array protocol": "h.detach().__array__()[0] = 7",
    "memoryview": "m = memoryview(h.detach().numpy()); m[0] = 7.0",
    "storage": "h.untyped_storage().fill_(0)",
    "apply_": "h.data.apply_(lambda v: v + 1)",
    "set_": "u = torch.empty(0).set_(h.detach()); u.add_(1)",
    "unsafe_chunk": "torch.unsafe_chunk(h.detach(), 3)[0].zero_()",
    "dlpack": "torch.from_dlpack(h.detach()).add_(1)",
    "typed storage": "h.storage()[0] = 7",
}
HARMLESS = {
    "same values": "h.data.clamp_(0, 1)",
    "written and restored": "h.data.add_(0.5); h.data.sub_(0.5)",
    "read only": "h.detach().numpy().sum()",
    "another tensor": "torch.zeros(3).data.add_(1)",
}


@pytest.mark.filterwarnings("ignore:TypedStorage")
@pytest.mark.parametrize("name", WRITES)
def test_hidden_write_is_told(name: str, traced: Run) -> None:
    run = traced(HEAD + WRITES[name] + TAIL)
    assert run.error is None
    assert run.fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    assert run.fault.modified is not None
    assert not run.fault.modified.bumped
    assert run.rows() == {"saved": 3, "modified": 4, "needed": 5}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_write_is_not_told(name: str, traced: Run) -> None:
    assert traced(HEAD + HARMLESS[name] + TAIL).tracer.faults == []


@pytest.mark.parametrize("make", ["from_numpy", "as_tensor", "asarray", "from_dlpack"])
def test_write_to_an_array_that_a_tensor_was_made_of(make: str, traced: Run) -> None:
    run = traced(
        f"""
        import numpy, torch
        w, array = torch.ones(3, requires_grad=True), numpy.ones(3, dtype="float32")
        c = torch.{make}(array)
        loss = (w * c).sum()
        array[0] = 5
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 4, "modified": 5, "needed": 6}


def test_write_to_a_buffer_that_a_tensor_was_made_of(traced: Run) -> None:
    run = traced(
        """
        import torch
        w, octets = torch.ones(3, requires_grad=True), bytearray(12)
        c = torch.frombuffer(octets, dtype=torch.float32)
        loss = (w * c).sum()
        octets[2] = 5
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 4, "modified": 5, "needed": 6}


def test_array_refilled_between_steps_is_not_told(traced: Run) -> None:
    run = traced(
        """
        import numpy, torch
        w, array = torch.ones(3, requires_grad=True), numpy.ones(3, dtype="float32")
        c = torch.from_numpy(array)
        for step in range(3):
            array[:] = step
            (w * c).sum().backward()
        """
    )
    assert run.tracer.faults == []


def test_fused_optimizer_between_forward_and_backward(traced: Run) -> None:
    run = traced(
        """
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.AdamW(net.parameters(), fused=True)
        net(torch.ones(1, 2)).sum().backward()
        loss = net(torch.ones(1, 2)).sum()
        opt.step()
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 5, "modified": 6, "needed": 7}


def test_foreach_operators_under_a_mode_of_the_program(traced: Run) -> None:
    """torch loses count of their versions below any dispatch mode."""
    run = traced(
        """
        import torch
        from torch.utils._python_dispatch import TorchDispatchMode
        class Passing(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))
        h = torch.ones(3, requires_grad=True).exp()
        loss = (h * h).sum()
        with Passing(), torch.no_grad():
            torch._foreach_mul_([h], 2.0)
        loss.backward()
        """
    )
    assert run.error is None
    assert run.rows() == {"saved": 7, "modified": 5, "needed": 10}


def test_running_statistics_of_batch_norm_are_not_told(traced: Run) -> None:
    run = traced(
        """
        import torch
        norm = torch.nn.BatchNorm1d(3)
        first, second = norm(torch.randn(4, 3)), norm(torch.randn(4, 3))
        norm.running_mean.data.zero_()
        (first + second).sum().backward()
        """
    )
    assert run.tracer.faults == []


@pytest.mark.parametrize(
    ("first", "told"), [("norm.eval()", {"running_mean", "running_var"}), ("norm.train()", set())]
)
def test_statistics_that_batch_norm_overwrites_in_training(
    traced: Run, first: str, told: set[str]
) -> None:
    """No schema says so, and no version is counted."""
    run = traced(
        f"""
        import torch
        norm = torch.nn.BatchNorm1d(3)
        x = torch.randn(4, 3, requires_grad=True)
        y = {first}(x)
        z = norm.train()(x)
        (y + z).sum().backward()
        """
    )
    assert len(run.tracer.faults) == bool(told)
    assert {fault.tensor for fault in run.tracer.faults} <= told


def test_the_mean_matters_to_the_gradient_of_the_weight_alone(traced: Run) -> None:
    run = traced(
        """
        import torch
        norm = torch.nn.BatchNorm1d(3, affine=False)
        x = torch.randn(4, 3, requires_grad=True)
        y = norm.eval()(x)
        norm.train()(x.detach())
        y.sum().backward()
        """
    )
    assert [fault.tensor for fault in run.tracer.faults] == ["running_var"]


def test_data_given_to_a_leaf(traced: Run) -> None:
    run = traced(
        """
        import torch
        w = torch.ones(3, requires_grad=True)
        loss = (w * w).sum()
        w.data = torch.full((3,), 5.0)
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 3, "modified": 4, "needed": 5}


# What the engine does not check at all: a write counts as it does for what it has saved itself.
UNCHECKED = {
    "under hooks": """
        import torch
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            loss = (x * c).sum()
        c.fill_(100.0)  # write
        loss.backward()
        """,
    "in one memory for all that is saved": """
        import torch
        x, kept = torch.ones(3, requires_grad=True), torch.empty(3)
        def pack(tensor):
            kept.copy_(tensor)  # write
            return kept
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            y = x.exp()
            loss = y.sin().sum()
        loss.backward()
        """,
    "kept on the CPU": """
        import torch
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        with torch.autograd.graph.save_on_cpu():
            loss = (x * c).sum()
        c.fill_(100.0)  # write
        loss.backward()
        """,
    "on a context": """
        import torch
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.x = x
                return x * x
            @staticmethod
            def backward(ctx, g):
                return 2 * ctx.x * g
        h = torch.ones(3, requires_grad=True) * 1
        y = Square.apply(h)
        with torch.no_grad():
            h.mul_(10)  # write
        y.sum().backward()
        """,
    "in a checkpoint": """
        import torch
        from torch.utils.checkpoint import checkpoint
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        loss = checkpoint(lambda a: (a * c).sum(), x, use_reentrant=False)
        c.mul_(5)  # write
        loss.backward()
        """,
    "in a checkpoint of the other kind": """
        import torch
        from torch.utils.checkpoint import checkpoint
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        loss = checkpoint(lambda a: (a * c).sum(), x, use_reentrant=True)
        c.mul_(5)  # write
        loss.backward()
        """,
    "in a checkpoint in another": """
        import torch
        from torch.utils.checkpoint import checkpoint
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        def inner(a):
            return (a * c).sum()
        def outer(a):
            return checkpoint(lambda b: inner(b), a * 2, use_reentrant=True)
        loss = checkpoint(outer, x, use_reentrant=True)
        c.mul_(5)  # write
        loss.backward()
        """,
    "parameters of a checkpoint": """
        import torch
        from torch.utils.checkpoint import checkpoint
        net = torch.nn.Linear(2, 2)
        loss = checkpoint(net, torch.ones(1, 2), use_reentrant=False).sum()
        net.weight.grad = torch.ones(2, 2)
        torch.optim.SGD(net.parameters(), lr=0.1).step()  # write
        loss.backward()
        """,
}
FINE = {
    "a Function that writes in forward": """
        import torch
        class Add(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.y = x.add_(1).detach()
                ctx.mark_dirty(x)
                return x
            @staticmethod
            def backward(ctx, g):
                return g * ctx.y
        Add.apply(torch.ones(3, requires_grad=True) * 1).sum().backward()
        """,
    "a checkpoint that counts": """
        import torch
        from torch.utils.checkpoint import checkpoint
        norm = torch.nn.Sequential(torch.nn.BatchNorm1d(2, momentum=None), torch.nn.Linear(2, 2))
        x = torch.randn(3, 2, requires_grad=True)
        for step in range(2):
            checkpoint(norm, x, use_reentrant=False).sum().backward()
            torch.optim.SGD(norm.parameters(), lr=0.1).step()
        """,
    "a checkpoint without a graph in another": """
        import torch
        from torch.utils.checkpoint import checkpoint
        x = torch.ones(3, requires_grad=True)
        def outer(a):
            return checkpoint(torch.sin, a * 2, use_reentrant=True)
        checkpoint(outer, x, use_reentrant=True).sum().backward()
        """,
    "a write before it is saved, and another Function in that forward": """
        import torch
        class Inner(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.exp()
                y /= y.sum()
                ctx.save_for_backward(y)
                return y
            @staticmethod
            def backward(ctx, g):
                return g
        class Outer(torch.autograd.Function):
            @classmethod
            def forward(cls, ctx, x):
                y = Inner.apply(x)
                loss = y.sum()
                y.sub_(1)
                ctx.save_for_backward(y)
                return loss
            @staticmethod
            def backward(ctx, g):
                return g * ctx.saved_tensors[0]
        Outer.apply(torch.ones(3, requires_grad=True)).backward()
        """,
    "a number on a context that is written and restored": """
        import torch
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, by):
                ctx.by = by
                return x * by
            @staticmethod
            def backward(ctx, g):
                return g * ctx.by, None
        by = torch.ones(1, requires_grad=True)
        y = Scale.apply(torch.ones(3, requires_grad=True), by)
        memory = by.data
        memory[0] = 2.0
        memory[0] = 1.0
        y.sum().backward()
        """,
    "a hook that copies into memory of its own": """
        import torch
        x = torch.ones(3, requires_grad=True)
        def pack(tensor):
            kept = torch.empty(tensor.size())
            kept.copy_(tensor)
            return tensor.device, kept
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed[1]):
            loss = x.exp().sin().sum()
        loss.backward()
        """,
    "hooks that copy": """
        import torch
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        with torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda t: t):
            loss = (x * c).sum()
        c.fill_(100.0)
        loss.backward()
        """,
    "a hook that scales": """
        import torch
        x = torch.ones(3, requires_grad=True)
        x.register_hook(lambda g: g * 2)
        def double(parameter):
            parameter.grad.mul_(2)
        x.register_post_accumulate_grad_hook(double)
        (x * 1).sum().backward()
        """,
}


@pytest.mark.filterwarnings("ignore:None of the inputs")
@pytest.mark.parametrize("name", UNCHECKED)
def test_write_to_what_is_not_checked_is_told(name: str, traced: Run) -> None:
    run = traced(UNCHECKED[name])
    assert run.error is None
    lines = run.file.read_text().splitlines()
    (row,) = (number for number, line in enumerate(lines, 1) if line.endswith("# write"))
    assert run.rows()["modified"] == row


@pytest.mark.parametrize("name", FINE)
@pytest.mark.filterwarnings("always")
def test_writes_that_nothing_reads_again_are_not_told(
    name: str, traced: Run, recwarn: pytest.WarningsRecorder
) -> None:
    assert traced(FINE[name]).tracer.faults == []


def test_hook_that_writes_to_its_gradient(traced: Run) -> None:
    run = traced(
        """
        import torch
        x, z = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        def kill(g):
            g.mul_(0)
        x.register_hook(kill)
        (x + z).backward(torch.ones(3))
        """
    )
    assert run.fault.kind is Pitfall.HOOK_MODIFIES
    assert run.fault.place is not None and run.fault.place.row == 4


def test_hook_that_writes_to_a_copy_of_its_gradient_is_not_told(traced: Run) -> None:
    run = traced(
        """
        import torch
        x, z = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        def kill(g):
            g = g.clone()
            g[0] = 0
            return g
        x.register_hook(kill)
        (x + z).backward(torch.ones(3))
        """
    )
    assert run.tracer.faults == []


PUT_BACK = """
import torch
w = torch.tensor([2.0, 3.0], requires_grad=True)
loss = (w * w).sum()
old = w.data
w.data = torch.zeros(2)
{away}
w.data = old
loss.backward()
"""


@pytest.mark.parametrize(
    ("away", "told"),
    [
        ("pass", False),
        ("w.data.add_(1)", False),
        ("old.add_(1)", True),
        ("loss = (w * w).sum()", True),
    ],
)
def test_data_that_a_leaf_gets_back(traced: Run, away: str, told: bool) -> None:
    assert bool(traced(PUT_BACK.format(away=away)).tracer.faults) is told


def test_a_hidden_write_in_a_closure_of_a_step_is_told(traced: Run) -> None:
    run = traced(
        """
        import torch
        w = torch.zeros(3, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        def closure():
            opt.zero_grad()
            h = torch.sigmoid(w)
            h.data.add_(1)
            h.sum().backward()
        opt.step(closure)
        """
    )
    assert run.fault.modified is not None
    assert not run.fault.modified.bumped
    assert run.rows() == {"saved": 6, "modified": 7, "needed": 8}


OLD_OPTIMIZER = """
    import torch
    class Momentum(torch.optim.Optimizer):
        {mode}
        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p]
                    m = state.setdefault("m", torch.zeros_like(p.data))
                    m.mul_(0.9).add_(p.grad.data)
                    p.data.add_(m, alpha=-group["lr"])
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    opt = Momentum(net.parameters(), {{"lr": 0.1}})
    for _ in range(2):
        loss = net(torch.ones(1, 2)).sum()
        loss.backward(retain_graph=True)
        opt.step()
    {after}
"""


@pytest.mark.parametrize("mode", ["", "@torch.no_grad()"])
def test_a_step_by_data_between_forward_and_backward_is_told(traced: Run, mode: str) -> None:
    run = traced(OLD_OPTIMIZER.format(mode=mode, after="loss.backward()"))
    assert run.fault.tensor is None  # no name of a parameter stands where an optimizer steps
    assert run.fault.modified is not None
    assert not run.fault.modified.bumped
    assert run.rows() == {"saved": 15, "modified": 17, "needed": 18}


@pytest.mark.parametrize("mode", ["", "@torch.no_grad()"])
def test_a_step_by_data_after_backward_is_not_told(traced: Run, mode: str) -> None:
    assert traced(OLD_OPTIMIZER.format(mode=mode, after="")).tracer.faults == []


def test_what_a_step_writes_that_makes_a_graph_is_told(traced: Run) -> None:
    run = traced(
        """
        import torch
        class Learned(torch.optim.Optimizer):
            def step(self):
                for p in self.param_groups[0]["params"]:
                    m = torch.zeros_like(p)
                    self.moved = (p * 2).exp() * rate * m
                    m.add_(1)
        w = torch.ones(3, requires_grad=True)
        rate = torch.ones(3, requires_grad=True)
        opt = Learned([w], {})
        opt.step()
        opt.moved.sum().backward()
        """
    )
    assert run.rows() == {"saved": 6, "modified": 7, "needed": 12}


IN_THREADS = """
import threading, torch
w = torch.ones(3, requires_grad=True)
for _ in range({nodes}):
    (w * w).sum()
w.data.mul_(2)
losses = []
def compute():
    losses.append((w * w).sum())
    {within}
thread = threading.Thread(target=compute)
thread.start()
thread.join()
{after}
"""


@pytest.mark.parametrize(
    ("nodes", "within", "after", "told"),
    [
        (30, "losses[0].backward()", "", False),
        (30, "pass", "losses[0].backward()", False),
        (0, "w.data.mul_(2); losses[0].backward()", "", True),
    ],
    ids=["backward in the thread", "backward after it", "a write in the thread"],
)
def test_a_write_before_a_thread_computes_is_not_told(
    nodes: int, within: str, after: str, told: bool, traced: Run
) -> None:
    run = traced(IN_THREADS.format(nodes=nodes, within=within, after=after))
    assert bool(run.tracer.faults) is told
