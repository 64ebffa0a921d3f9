"""The models of libraries that the package brings: programs that use them, judged and run."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

import autograd_lint
from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source

STUBS = Path(autograd_lint.__file__).parent / "libraries" / "stubs"

HEAD = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(5, 3), torch.randn(5, 1)
"""
# By the modules they use: a program that fails at the line marked so, and how to mend that.
PROGRAMS: dict[str, tuple[str, tuple[str, str]]] = {
    "accelerate": (
        """
from accelerate import Accelerator
acc = Accelerator()
net, opt = acc.prepare(net, opt)
loss = nn.functional.mse_loss(net(x), y)
acc.backward(loss)
acc.backward(loss)  # fails
""",
        (
            "acc.backward(loss)\nacc.backward(loss)",
            "acc.backward(loss, retain_graph=True)\nacc.backward(loss)\nopt.step()",
        ),
    ),
    "lightning_fabric lightning.fabric": (
        """
from lightning.fabric import Fabric
fabric = Fabric()
net, opt = fabric.setup(net, opt)
out = net(x).exp()
loss = out.sum()
out += 1
fabric.backward(loss)  # fails
""",
        ("out += 1", "out = out + 1"),
    ),
    "apex.amp": (
        """
from apex import amp
net, opt = amp.initialize(net, opt, opt_level="O1")
loss = net(x).sum()
with torch.no_grad():
    off = net(x).sum()
with amp.scale_loss(off, opt) as scaled:
    scaled.backward()  # fails
""",
        ("scale_loss(off", "scale_loss(loss"),
    ),
    "apex.parallel": (
        """
from apex.parallel import DistributedDataParallel
model = DistributedDataParallel(net)
out = model(x).sigmoid()
out *= 2
out.sum().backward()  # fails
""",
        ("out *= 2", "out = out * 2"),
    ),
    "deepspeed": (
        """
import deepspeed
engine, opt, _, _ = deepspeed.initialize(model=net, model_parameters=net.parameters())
loss = engine(x).sum()
engine.backward(loss)
engine.step()
engine.backward(loss)  # fails
""",
        ("engine.step()\nengine.backward(loss)", "engine.step()\nengine.backward(engine(x).sum())"),
    ),
    "ema_pytorch": (
        """
from ema_pytorch import EMA
ema = EMA(net)
ema.update()
ema(x).sum().backward()  # fails
""",
        ("ema(x).sum()", "(net(x) - ema(x)).sum()"),
    ),
    "horovod.torch": (
        """
import horovod.torch as hvd
opt = hvd.DistributedOptimizer(opt, named_parameters=net.named_parameters())
loss = net(x).sum()
loss.backward(retain_graph=True)
opt.step()
loss.backward()  # fails
""",
        ("opt.step()\nloss.backward()", "loss.backward()\nopt.step()"),
    ),
    "ignite.engine": (
        """
from ignite.engine import Engine
def step(engine, batch):
    out = net(batch).tanh()
    out += 1
    out.sum().backward()  # fails
trainer = Engine(step)
trainer.state = None
trainer.run([x, x], max_epochs=1)
""",
        ("out += 1", "out = out + 1"),
    ),
    "lpips": (
        """
import lpips
distance = lpips.LPIPS(net="alex")
image = torch.zeros(1, 3, 8, 8, requires_grad=True)
found = distance(image.detach().requires_grad_(), torch.ones(1, 3, 8, 8)).sum()
found.backward()
found.backward()  # fails
""",
        ("found.backward()\nfound", "found.backward(retain_graph=True)\nfound"),
    ),
    "opacus": (
        """
from opacus import PrivacyEngine
net, opt, data = PrivacyEngine().make_private(module=net, optimizer=opt, data_loader=[x])
loss = net(x).sum()
loss.backward()
opt.step()
loss.backward()  # fails
""",
        ("opt.step()\nloss", "opt.step()\nloss = net(x).sum()\nloss"),
    ),
    "timm.utils": (
        """
from timm.utils import NativeScaler
scaler = NativeScaler(device="cpu")
loss = net(x).sum()
scaler(loss, opt, clip_grad=1.0, parameters=net.parameters())
scaler(loss, opt)  # fails
""",
        ("scaler(loss, opt)", "scaler(net(x).sum(), opt)"),
    ),
    "torchdiffeq": (
        """
from torchdiffeq import odeint
layer = nn.Linear(3, 3)
times = torch.linspace(0.0, 1.0, 3)
path = odeint(lambda t, state: layer(state).tanh(), x, times)
end = path[-1].exp()
end += 1
end.sum().backward()  # fails
""",
        ("end += 1", "end = end + 1"),
    ),
    "torch_scatter": (
        """
from torch_scatter import scatter_mean
sums = scatter_mean(net(x), torch.tensor([0, 0, 1, 1, 1]), dim=0).exp()
sums.zero_()
sums.sum().backward()  # fails
""",
        ("sums.zero_()", "sums = torch.zeros_like(sums) * sums"),
    ),
}


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets programs import the models as if they were the libraries."""
    paths = sorted(STUBS.rglob("*.pyi"), key=lambda path: (len(path.parts), "_" not in path.stem))
    for path in paths:
        _install(_module(path), path, monkeypatch)


def _module(path: Path) -> str:
    return ".".join(path.relative_to(STUBS).with_suffix("").parts).removesuffix(".__init__")


def _install(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType(name)
    top, _, inner = name.partition(".")
    if inner and top not in sys.modules:
        monkeypatch.setitem(sys.modules, top, ModuleType(top))
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    if inner:
        monkeypatch.setattr(sys.modules[top], inner, module, raising=False)


def _row(program: str) -> int:
    return 1 + program[: program.index("# fails")].count("\n")


@pytest.mark.parametrize("modules", PROGRAMS)
def test_what_fails_is_told_where_the_program_calls_the_library(modules: str) -> None:
    program = HEAD + PROGRAMS[modules][0]
    found = analyse(Source("train.py", program))
    assert {fault.place.row for fault in found if not fault.assumptions} == {_row(program)}
    assert {fault.place.filename for fault in found} == {"train.py"}


@pytest.mark.parametrize("modules", PROGRAMS)
def test_what_is_mended_is_quiet(modules: str) -> None:
    program, (wrong, right) = PROGRAMS[modules]
    assert wrong in program
    found = analyse(Source("train.py", HEAD + program.replace(wrong, right, 1)))
    assert [fault for fault in found if fault.weight <= 1] == []


@pytest.mark.parametrize("modules", PROGRAMS)
def test_torch_agrees_when_the_models_are_run(modules: str, stubs: None) -> None:
    program, (wrong, right) = PROGRAMS[modules]
    with pytest.raises(RuntimeError):
        exec(compile(HEAD + program, "train.py", "exec"), {})
    exec(compile(HEAD + program.replace(wrong, right, 1), "train.py", "exec"), {})


def test_every_model_is_used_by_a_program() -> None:
    used = {name for modules in PROGRAMS for name in modules.split()}
    used |= {"lightning", "lightning.pytorch", "pytorch_lightning"}  # in test_lightning.py
    assert {_module(path) for path in STUBS.rglob("*.pyi")} == used
