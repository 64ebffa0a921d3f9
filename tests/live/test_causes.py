"""Where an error has its cause in an earlier line, the tracer names that line."""

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.live.findings import findings_of
from tests.live.programs import Run, Traced

FUNCTION = """
    import torch
    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            {forward}
            return x * y
        @staticmethod
        def backward(ctx, g):
            {backward}
    Fn.apply(torch.ones(3, requires_grad=True), torch.ones(3)).sum().backward()
    """

# A program, and the row that is to be named; the comment in it marks that row.
PROGRAMS = {
    "gradients lead nowhere": """
        import torch
        x = torch.ones(3, requires_grad=True)
        (x ** 3).sum().backward()  # cause
        x.grad.norm().backward()
        """,
    "grad mode that a function has left off": """
        import torch
        net = torch.nn.Linear(2, 1)
        def validate():
            torch.set_grad_enabled(False)  # cause
        validate()
        try:
            net(torch.ones(1, 2)).sum().backward()
        finally:
            torch.set_grad_enabled(True)
        """,
    "grad mode that a decorator switches off": """
        import torch
        net = torch.nn.Linear(2, 1)
        @torch.no_grad()  # cause
        def encode(x):
            return net(x)
        encode(torch.ones(1, 2)).sum().backward()
        """,
    "rebound before it was asked for": """
        import torch
        x = torch.ones(3, requires_grad=True)
        y = (x ** 2).sum()
        x = x * 1  # cause
        torch.autograd.grad(y, x)
        """,
    "a loss that nobody reduces": """
        import torch
        def loss_of(x):
            return x * 2  # cause
        loss = loss_of(torch.ones(3, requires_grad=True))
        loss.backward()
        """,
    "a new graph joins a freed one": """
        import torch
        w = torch.ones(2, requires_grad=True)
        inner = (w ** 3).sum()
        (g,) = torch.autograd.grad(inner, w)
        outer = ((w - g) ** 2).sum() + inner  # cause
        outer.backward()
        """,
    "a number of nothing": """
        import torch
        loss = sum(x for x in [])  # cause
        loss.backward()
        """,
    "a number read from a graph": """
        import torch
        h = torch.ones(3, requires_grad=True).sum().item()  # cause
        h = h.detach()
        """,
    "made under inference mode": """
        import torch
        with torch.inference_mode():  # cause
            net = torch.nn.Linear(2, 1)
        net(torch.ones(1, 2)).sum().backward()
        torch.optim.SGD(net.parameters(), lr=0.1).step()
        """,
    "decorated with inference mode": """
        import torch
        net = torch.nn.Linear(2, 2)
        @torch.inference_mode()  # cause
        def encode(x):
            return net(x)
        net(encode(torch.ones(1, 2)))
        """,
    "a module that keeps what it computed": """
        import copy
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                self.last = x * 2  # cause
                return self.last
        net = Net()
        net(torch.ones(2, requires_grad=True))
        copy.deepcopy(net)
        """,
    "a view whose base was modified": """
        import torch
        y = torch.ones(3, requires_grad=True) * 1
        with torch.no_grad():
            v = y.view(-1)
        y.add_(1)  # cause
        v.sum()
        """,
    "a leaf in the interior": """
        import torch
        w, x = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        loss = (x + 2).sum()
        x.requires_grad_(False)
        x.mul_(w)  # cause
        loss.backward()
        """,
    "NaN in backward": """
        import torch
        x = torch.zeros(3, requires_grad=True)
        with torch.autograd.detect_anomaly():
            y = (x.sqrt() * 0).sum()  # cause
            y.backward()
        """,
    "a checkpoint that cannot": """
        import torch
        from torch.utils.checkpoint import checkpoint
        x = torch.ones(3, requires_grad=True)
        y = checkpoint(torch.sin, x, use_reentrant=True)  # cause
        torch.autograd.grad(y.sum(), x)
        """,
    "a checkpoint that detaches": """
        import torch
        from torch.utils.checkpoint import checkpoint
        def f(t):
            return t.detach() * 2  # cause
        checkpoint(f, torch.ones(3, requires_grad=True), use_reentrant=True).sum().backward()
        """,
    "a recomputation that differs": """
        import torch
        from torch.utils.checkpoint import checkpoint
        state = {"half": True}
        def f(t):
            return (t.bfloat16() if state["half"] else t).sin().sum()
        y = checkpoint(f, torch.ones(3, requires_grad=True), use_reentrant=False)
        state["half"] = False  # cause
        y.backward()
        """,
    "an attribute that differs when it is computed again": """
        import torch
        from torch.utils.checkpoint import checkpoint
        class Net(torch.nn.Module):
            calls = 0
            def inner(self, x):
                self.calls += 1  # cause
                return x.exp().tanh() if self.calls % 2 else x.exp()
        x = torch.ones(3, requires_grad=True)
        checkpoint(Net().inner, x, use_reentrant=False).sum().backward()
        """,
    "a hook of a tensor that changes the shape": """
        import torch
        x = torch.ones(3, 2, requires_grad=True) * 1
        def normalize(grad):
            return grad.norm(dim=1)  # cause
        x.register_hook(normalize)
        x.sum().backward()
        """,
    "a hook that returns too much": """
        import torch
        net = torch.nn.Linear(2, 2)
        net.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))  # cause
        net(torch.ones(1, 2, requires_grad=True)).sum().backward()
        """,
    "a hook that makes views": """
        import torch
        net = torch.nn.Linear(3, 3)
        net.register_full_backward_hook(lambda m, gi, go: None)  # cause
        y = net(torch.ones(1, 3, requires_grad=True))
        y += 1
        """,
    "a closure without a loss": """
        import torch
        x = torch.ones(3, requires_grad=True)
        opt = torch.optim.LBFGS([x])
        def closure():  # cause
            (x ** 2).sum().backward()
        opt.step(closure)
        """,
    "a custom operator": """
        import torch
        @torch.library.custom_op("autogradlint::twice", mutates_args=())
        def twice(x: torch.Tensor) -> torch.Tensor:  # cause
            return x * 2
        twice(torch.ones(3, requires_grad=True)).sum().backward()
        """,
    "gradcheck in single precision": """
        import torch
        torch.manual_seed(0)
        x = torch.rand(3, requires_grad=True)  # cause
        torch.autograd.gradcheck(torch.sin, (x,))
        """,
    "a write under vmap": """
        import torch
        def f(x):
            out = torch.zeros(3)  # cause
            out[0] = x[0]
            return out
        torch.vmap(f)(torch.ones(2, 3))
        """,
    "a helper that freezes what is no leaf": """
        import torch
        def freeze(tensor):
            tensor.requires_grad_(False)
        x = torch.ones(3, requires_grad=True) * 2
        freeze(x)  # cause
        """,
    "the gradient of what is no leaf": """
        import torch
        w = torch.ones(3, requires_grad=True).double()  # cause
        (w ** 2).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        """,
}
PROGRAMS |= {
    "numbers that were added up": """
        import torch
        w, total = torch.ones(3, requires_grad=True), 0.0
        for _ in range(2):
            total += (w ** 2).sum().item()  # cause
        torch.tensor(total).backward()
        """,
    "numbers in a list": """
        import torch
        w, losses = torch.ones(3, requires_grad=True), []
        for _ in range(2):
            losses.append((w ** 2).sum().item())  # cause
        torch.tensor(sum(losses) / 7).backward()
        """,
    "unscaled twice": """
        import torch
        scaler, w = torch.amp.GradScaler("cpu"), torch.ones(3, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for step in range(2):
            scaler.scale((w ** 2).sum()).backward()
            scaler.unscale_(opt)
            if w.grad.norm() < 100:
                continue
            scaler.update()  # cause
        """,
    "a data set that requires grad": """
        import torch
        from torch.utils.data import DataLoader, TensorDataset
        rows = torch.rand(4, 2, requires_grad=True)  # cause
        for (batch,) in DataLoader(TensorDataset(rows), batch_size=2, num_workers=1):
            pass
        """,
    "raised in a worker": """
        import torch
        from torch.utils.data import DataLoader
        class Rows(torch.utils.data.Dataset):
            weight = torch.ones(2, requires_grad=True)
            def __len__(self):
                return 2
            def __getitem__(self, index):
                return (self.weight * index).numpy()  # cause
        for batch in DataLoader(Rows(), num_workers=1):
            pass
        """,
    "a module with a computed weight": """
        import copy
        import torch
        net = torch.nn.utils.weight_norm(torch.nn.Linear(2, 2))  # cause
        net(torch.ones(1, 2))
        copy.deepcopy(net)
        """,
    "parametrized tensors that are kept": """
        import torch
        from torch.nn.utils import parametrizations, parametrize
        net = parametrizations.weight_norm(torch.nn.Linear(2, 2))
        with parametrize.cached():  # cause
            for _ in range(2):
                net(torch.ones(1, 2)).sum().backward()
        """,
    "a gradient that is a part of a bucket": """
        import torch
        bucket = torch.zeros(4)  # cause
        w = torch.ones(2, requires_grad=True)
        w.grad = bucket[:2]
        (w * 2).sum().backward()
        w.grad.detach_()
        """,
    "checkpoints that share parameters": """
        import torch
        import torch.distributed as dist
        from torch.utils.checkpoint import checkpoint
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a = torch.nn.Linear(2, 2)
            def forward(self, x):
                x = checkpoint(self.a, x, use_reentrant=True)  # cause
                return checkpoint(self.a, x, use_reentrant=True)
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
        try:
            net = torch.nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
            net(torch.ones(1, 2, requires_grad=True)).sum().backward()
        finally:
            dist.destroy_process_group()
        """,
}
PROGRAMS["saved twice"] = FUNCTION.format(
    forward="ctx.save_for_backward(y)  # cause", backward="x, y = ctx.saved_tensors"
)
PROGRAMS["one gradient too few"] = FUNCTION.format(forward="pass", backward="return g  # cause")
PROGRAMS["not materialized"] = FUNCTION.format(
    forward="ctx.set_materialize_grads(False)  # cause", backward="return None * g, None"
)


# As the error of a device or of another process does, whose connection is closed.
THROUGH_THE_ENGINE = """
import functools, torch
x = torch.ones(3, requires_grad=True)
x.register_hook(functools.partial(torch.add, torch.ones(7)))
x.exp().sum().backward()
"""


def named(run: Traced) -> set[int]:
    """Every row that the findings of a run name."""
    found = findings_of(run.tracer.faults)
    return {place.row for one in found for place in (one.place, *(r.place for r in one.related))}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_cause_is_named(name: str, traced: Run) -> None:
    run = traced(PROGRAMS[name])
    assert run.error is not None
    lines = run.file.read_text().splitlines()
    (cause,) = (row for row, line in enumerate(lines, 1) if line.endswith("# cause"))
    assert cause in named(run)


def test_errors_of_others_are_left_alone(traced: Run) -> None:
    for source in (
        "import torch\ntorch.ones(2) @ torch.ones(3)",
        "raise ValueError('no gradient for this backward')",
        "x = None\nx.zero_()",
        THROUGH_THE_ENGINE,
    ):
        run = traced(source)
        assert run.error is not None
        assert run.tracer.faults == []


def test_a_warning_of_autograd_is_a_finding_that_raises_nothing(traced: Run) -> None:
    with pytest.warns(UserWarning, match="not a leaf"):
        run = traced(
            """
            import torch
            y = torch.ones(3, requires_grad=True) * 2
            y.sum().backward()
            print(y.grad)
            """
        )
    (finding,) = findings_of(run.tracer.faults)
    assert (finding.code, finding.place.row, finding.predicts) == ("AG315", 4, None)
    assert 2 in named(run)


@pytest.mark.filterwarnings("always")
def test_the_help_of_a_hook_whose_module_gets_no_gradient_speaks_of_the_hook(traced: Run) -> None:
    run = traced(
        """
        import torch
        layer = torch.nn.Linear(2, 2)
        layer.register_full_backward_hook(lambda module, given, got: None)
        layer(torch.ones(1, 2)).sum().backward()
        """
    )
    (finding,) = findings_of(run.tracer.faults)
    assert finding.code == "AG310"
    assert "register the hook on its result" in finding.help


READ_THROUGH = {
    "a default device": "with torch.device('cpu'): print(y.grad)",
    "a function mode": "with torch.overrides.BaseTorchFunctionMode(): print(y.grad)",
    "a subclass": "print(y.as_subclass(type('Marked', (torch.Tensor,), {})).grad)",
}


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("name", READ_THROUGH)
def test_what_a_function_mode_passes_on_is_read_by_the_program(name: str, traced: Run) -> None:
    run = traced(
        f"""
        import torch
        y = torch.ones(3, requires_grad=True) * 2
        y.sum().backward()
        {READ_THROUGH[name]}
        """
    )
    assert [(one.code, one.place.row) for one in findings_of(run.tracer.faults)] == [("AG315", 4)]


@pytest.mark.filterwarnings("always")
def test_what_the_compiler_reads_is_not_read_by_the_program(traced: Run) -> None:
    run = traced(
        """
        import torch
        @torch.compile(backend="eager")
        def scaled(x):
            h = x.sigmoid()
            print("a break")
            return h * 2
        scaled(torch.ones(3, requires_grad=True)).sum().backward()
        """
    )
    assert run.tracer.faults == []


def test_an_error_inside_of_a_custom_backward_is_told(traced: Run) -> None:
    run = traced(FUNCTION.format(forward="pass", backward="return g * unknown, None"))
    assert run.fault.kind is FaultKind.CUSTOM_FUNCTION
    assert run.fault.place is not None and run.fault.place.row == 9


def test_a_loader_with_workers_refuses_what_requires_grad(traced: Run) -> None:
    run = traced("""
        import torch
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            weight = torch.ones(2, requires_grad=True)
            def __len__(self):
                return 2
            def __getitem__(self, index):
                return self.weight * index
        for batch in DataLoader(Rows(), num_workers=1):
            pass
        """)
    (finding,) = findings_of(run.tracer.faults)
    assert (finding.code, finding.message) == ("AG310", "PyTorch refuses `DataLoader`")
    assert finding.help == "give the data set tensors that do not require grad (`detach()`)"


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        ("with torch.no_grad(): loss = (w * 2).sum()", "grad mode was off where it was computed"),
        ("loss = (w * 2).detach().sum()", "`detach` left it without a `grad_fn`"),
        ("loss = (w * 2).sum().item()", "a Python number"),
    ],
)
def test_a_root_without_a_graph_is_called_what_it_is(cut: str, said: str, traced: Run) -> None:
    run = traced(f"""
        import torch
        w = torch.ones(2, requires_grad=True)
        {cut}
        loss.backward()
        """)
    (finding,) = findings_of(run.tracer.faults)
    assert said in finding.message
    assert ("Python number" in finding.message) == ("Python number" in said)


@pytest.mark.parametrize(
    ("dtype", "said"), [("float32", "has more than one element"), ("complex64", "is complex")]
)
def test_a_root_that_backward_refuses_is_called_what_it_is(
    dtype: str, said: str, traced: Run
) -> None:
    run = traced(f"""
        import torch
        loss = torch.ones(2, dtype=torch.{dtype}, requires_grad=True) * 2
        loss.backward()
        """)
    (finding,) = findings_of(run.tracer.faults)
    assert said in finding.message
