"""The models of libraries that the package brings: programs that use them, judged and run."""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

import autograd_lint
from autograd_lint.analysis.files import analyse
from autograd_lint.project.library_models import SUFFIX
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
    "fastai.learner fastai.data.core fastai.callback.core fastai.optimizer": (
        """
from fastai.callback.core import Callback
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from fastai.optimizer import SGD
class Penalty(Callback):
    def after_loss(self):
        self.learn.loss_grad = self.loss_grad.detach() + 0.1 * self.pred.abs().mean().detach()
data = DataLoaders([(x, y), (x, y)], [(x, y)])
learn = Learner(data, net, nn.functional.mse_loss, SGD, cbs=Penalty())
learn.fit(1)  # fails
""",
        ("self.loss_grad.detach()", "self.loss_grad"),
    ),
    "fastai.vision.all fastai.basics fastai.tabular.all fastai.text.all": (
        """
from fastai.vision.all import *
data = DataLoaders([(x, y), (x, y)], [(x, y)])
learn = Learner(data, net, lambda seen, true: F.mse_loss(seen.detach(), true), SGD)
learn.fit(1)  # fails
""",
        ("seen.detach()", "seen"),
    ),
    "horovod.torch": (
        """
import horovod.torch as hvd
opt = hvd.DistributedOptimizer(opt, named_parameters=net.named_parameters())
loss = hvd.allreduce(net(x).sum(), name="loss")
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
    opt.step()
    opt.zero_grad()
trainer = Engine(step)
trainer.run([x, x], max_epochs=1)
""",
        ("out += 1", "out = out + 1"),
    ),
    "lpips": (
        """
import lpips
distance = lpips.LPIPS(net="alex", pretrained=False, pnet_rand=True)
image = torch.zeros(1, 3, 64, 64, requires_grad=True)
found = distance(image.detach().requires_grad_(), torch.ones(1, 3, 64, 64)).sum()
found.backward()
found.backward()  # fails
""",
        ("found.backward()\nfound", "found.backward(retain_graph=True)\nfound"),
    ),
    "mmcv.cnn": (
        """
from mmcv.cnn import ConvModule
image = torch.randn(2, 3, 8, 8, requires_grad=True).sigmoid()
block = ConvModule(3, 4, 1, norm_cfg={"type": "BN"}, order=("act", "conv", "norm"))
seen = block(image)
seen.sum().backward()  # fails
""",
        ('order=("act"', 'inplace=False, order=("act"'),
    ),
    "mmcv mmcv.runner mmcv.utils": (
        """
from mmcv.runner import BaseModule, auto_fp16
from mmcv.utils import Registry
NECKS = Registry("neck")
@NECKS.register_module()
class Neck(BaseModule):
    def __init__(self, width, init_cfg=None):
        super().__init__(init_cfg)
        self.layer = nn.Linear(3, width)
    @auto_fp16()
    def forward(self, x):
        return self.layer(x).tanh()
neck = NECKS.build({"type": "Neck", "width": 2})
seen = neck(x)
seen += 1
seen.sum().backward()  # fails
""",
        ("seen += 1", "seen = seen + 1"),
    ),
    "mmengine mmengine.registry mmengine.model mmengine.optim mmengine.runner": (
        """
from mmengine.model import BaseModel
from mmengine.optim import OptimWrapper
from mmengine.registry import MODELS
from mmengine.runner import Runner
@MODELS.register_module(force=True)
class Regressor(BaseModel):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(3, width)
    def forward(self, inputs, mode="tensor"):
        seen = self.layer(inputs).exp()
        if mode == "loss":
            seen += 1
            return {"loss": seen.mean()}
        return seen
model = MODELS.build({"type": "Regressor", "width": 1})
wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))
for batch in [{"inputs": x}, {"inputs": x}]:
    model.train_step(batch, wrapper)  # fails
""",
        ("seen += 1", "seen = seen + 1"),
    ),
    "opacus": (
        """
from opacus import PrivacyEngine
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x))
net, opt, data = PrivacyEngine().make_private(
    module=net,
    optimizer=opt,
    data_loader=loader,
    noise_multiplier=1.0,
    max_grad_norm=1.0,
    poisson_sampling=False,
)
loss = net(x).sum()
loss.backward()
opt.step()
loss.backward()  # fails
""",
        ("opt.step()\nloss", "opt.step()\nloss = net(x).sum()\nloss"),
    ),
    "tensordict tensordict.nn torchrl.modules torchrl.objectives": (
        """
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.modules import ValueOperator
from torchrl.objectives import LossModule
squashed = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
actor = TensorDictModule(squashed, in_keys=["observation"], out_keys=["action"])
value = ValueOperator(nn.Linear(2, 1), in_keys=["action"])
class Loss(LossModule):
    def forward(self, step):
        return {"loss": -step["state_action_value"].mean()}
step = TensorDictSequential(actor, value)(TensorDict({"observation": x}, batch_size=[5]))
step["action"].clamp_(-0.5, 0.5)
Loss()(step)["loss"].backward()  # fails
""",
        ('step["action"].clamp_(-0.5', 'step["action"] = step["action"].clamp(-0.5'),
    ),
    "timm timm.models timm.models._registry timm.models.registry": (
        """
import timm
from timm.models import register_model
class Net(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.head = nn.Linear(3, num_classes)
    def forward(self, x):
        scores = self.head(x).sigmoid()
        scores *= 2
        return scores
@register_model
def small_net(num_classes=10, **options):
    return Net(num_classes)
model = timm.create_model("small_net", num_classes=5)
model(x).sum().backward()  # fails
""",
        ("scores *= 2", "scores = scores * 2"),
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
    "timm.optim": (
        """
from timm.optim import create_optimizer_v2
own = create_optimizer_v2(net, "adamw", lr=0.1)
loss = nn.functional.mse_loss(net(x), y)
loss.backward(retain_graph=True)
own.step()
loss.backward()  # fails
""",
        ("own.step()\nloss.backward()", "loss.backward()\nown.step()"),
    ),
    "transformers.optimization": (
        """
from transformers import AdamW
own = AdamW(net.parameters(), lr=0.1, correct_bias=False)
loss = nn.functional.mse_loss(net(x), y)
loss.backward(retain_graph=True)
own.step()
loss.backward()  # fails
""",
        ("own.step()\nloss.backward()", "loss.backward()\nown.step()"),
    ),
    "pytorch_transformers": (
        """
from pytorch_transformers import AdamW
own = AdamW([{"params": list(net.parameters())}], lr=0.1)
loss = nn.functional.mse_loss(net(x), y)
loss.backward(retain_graph=True)
own.step()
loss.backward()  # fails
""",
        ("own.step()\nloss.backward()", "loss.backward()\nown.step()"),
    ),
    "apex.optimizers": (
        """
from apex.optimizers import FusedAdam
own = FusedAdam(net.parameters(), lr=0.1)
loss = nn.functional.mse_loss(net(x), y)
loss.backward(retain_graph=True)
own.step()
loss.backward()  # fails
""",
        ("own.step()\nloss.backward()", "loss.backward()\nown.step()"),
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
    "torchvision.models torchvision.models.resnet": (
        """
from torchvision import models
net = models.resnet18(weights=None)
for parameter in net.parameters():
    parameter.requires_grad = False
image = torch.randn(2, 3, 64, 64)
loss = net(image).sum()
loss.backward()  # fails
""",
        ("image = ", "net.fc = nn.Linear(512, 2)\nimage = "),
    ),
    "torchvision": (
        """
import torchvision
net = torchvision.models.resnet18(weights=None)
for parameter in net.parameters():
    parameter.requires_grad = False
loss = net(torch.randn(2, 3, 64, 64)).sum()
loss.backward()  # fails
""",
        ("loss = ", "net.fc = nn.Linear(512, 2)\nloss = "),
    ),
    "torchvision.transforms": (
        """
from torchvision import transforms
prepare = transforms.Compose([transforms.Normalize((0.5,), (0.5,))])
weight = torch.ones(1, 4, 4, requires_grad=True)
prepare(weight * 2).numpy()  # fails
""",
        (".numpy()", ".detach().numpy()"),
    ),
    "torchvision.models.vgg": (
        """
from torchvision.models import vgg16
features = vgg16().features[:4]
image = torch.randn(1, 3, 8, 8, requires_grad=True)
seen = features(image).exp()
seen += 1
seen.sum().backward()  # fails
""",
        ("seen += 1", "seen = seen + 1"),
    ),
    "torchvision.models.alexnet": (
        """
from torchvision.models.alexnet import alexnet
net = alexnet(num_classes=2)
loss = net(torch.randn(1, 3, 64, 64)).sum()
loss.backward()
loss.backward()  # fails
""",
        ("loss.backward()\nloss", "loss.backward(retain_graph=True)\nloss"),
    ),
    "torchvision.models.densenet": (
        """
from torchvision.models import densenet121
net = densenet121()
seen = net.features(torch.randn(1, 3, 64, 64))
squares = seen ** 2
squares.sum().backward(retain_graph=True)
nn.functional.relu(seen, inplace=True)
squares.sum().backward()  # fails
""",
        ("inplace=True", "inplace=False"),
    ),
    "torchvision.models.mobilenet": (
        """
from torchvision.models import mobilenet_v2
net = mobilenet_v2(num_classes=2)
scores = net(torch.randn(2, 3, 64, 64)).softmax(1)
scores[0] = 0
scores.sum().backward()  # fails
""",
        ("scores[0] = 0", "scores = scores * torch.tensor([[0.0], [1.0]])"),
    ),
    "torchvision.models.efficientnet": (
        """
from torchvision.models import efficientnet_b0
net = efficientnet_b0(num_classes=2).eval()
net.requires_grad_(False)
net(torch.randn(1, 3, 64, 64)).sum().backward()  # fails
""",
        ("\nnet(torch", "\nnet.classifier.requires_grad_()\nnet(torch"),
    ),
    "torchmetrics torchmetrics.metric": (
        """
from torchmetrics import Metric
class Total(Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.tensor(0.0), dist_reduce_fx="sum")
    def update(self, value):
        self.total += value
    def compute(self):
        return self.total
total = Total()
for _ in range(3):
    total.update(net(x).sum())
total.compute().backward()  # fails
""",
        (
            "    total.update(net(x).sum())\ntotal.compute()",
            "    total.update(net(x).sum().item())\nvalue = total(net(x).sum())\nvalue",
        ),
    ),
    "transformers transformers.modeling_utils transformers.configuration_utils": (
        """
from transformers import PretrainedConfig, PreTrainedModel
class Head(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.layer = nn.Linear(3, 1)
    def forward(self, x):
        scores = self.layer(x).sigmoid()
        scores *= 2
        return scores
head = Head(PretrainedConfig())
head(x).sum().backward()  # fails
""",
        ("scores *= 2", "scores = scores * 2"),
    ),
    "transformers.trainer": (
        """
from transformers import Trainer
class Distilling(Trainer):
    def get_train_dataloader(self):
        return [{"x": x}, {"x": x}]
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        with torch.no_grad():
            wanted = model(inputs["x"])
        return wanted.sum()
Distilling(model=net, args=None).train()  # fails
""",
        ("wanted.sum()", '(model(inputs["x"]) - wanted).sum()'),
    ),
    "peft": (
        """
from peft import LoraConfig, get_peft_model
tuned = get_peft_model(net, LoraConfig(target_modules=["0", "1"]))
for parameter in tuned.parameters():
    parameter.requires_grad = False
tuned(x).sum().backward()  # fails
""",
        ("in tuned.parameters()", "in []"),
    ),
    "skorch skorch.net": (
        """
from skorch import NeuralNetRegressor
class Careless(NeuralNetRegressor):
    def get_iterator(self, dataset, training=False):
        return [(x, y), (x, y)]
    def get_loss(self, y_pred, y_true, X=None, training=False):
        return nn.functional.mse_loss(y_pred.detach(), y_true)
Careless(net).fit(x, y)  # fails
""",
        ("y_pred.detach()", "y_pred"),
    ),
    "torch_ema": (
        """
from torch_ema import ExponentialMovingAverage
ema = ExponentialMovingAverage(net.parameters(), decay=0.9)
loss = net(x).sum()
loss.backward(retain_graph=True)
opt.step()
ema.update()
loss.backward()  # fails
""",
        ("opt.step()\nema.update()\nloss", "loss"),
    ),
    "munch": (
        """
from munch import Munch
kept = Munch(net=net)
kept["loss"] = kept.net(x).sum()
kept.loss.backward()
kept["loss"].backward()  # fails
""",
        ("loss.backward()", "loss.backward(retain_graph=True)"),
    ),
    "easydict": (
        """
from easydict import EasyDict
kept = EasyDict({"net": net, "rates": {"first": 0.1}})
kept["loss"] = kept.net(x).sum()
kept.loss.backward()
kept["loss"].backward()  # fails
""",
        ("loss.backward()", "loss.backward(retain_graph=True)"),
    ),
    "addict": (
        """
from addict import Dict
kept = Dict(net=net)
kept["loss"] = kept.net(x).sum()
kept.loss.backward()
kept["loss"].backward()  # fails
""",
        ("loss.backward()", "loss.backward(retain_graph=True)"),
    ),
    "asyncio heapq queue weakref": (
        """
import asyncio, heapq, queue, weakref
jobs, best, owner = queue.Queue(), [], weakref.ref(net)
async def fill():
    jobs.put(owner()(x).sigmoid())
asyncio.run(fill())
out = jobs.get()
heapq.heappush(best, (2, x))
heapq.heappush(best, (1, out))
heapq.heappop(best)[1].mul_(2)
out.sum().backward()  # fails
""",
        ("[1].mul_(2)", "[1].mul(2)"),
    ),
    "tqdm tqdm.std tqdm.auto tqdm.autonotebook tqdm.notebook rich.progress fastprogress": (
        """
import tqdm
from fastprogress import master_bar, progress_bar
from rich.progress import track
from tqdm.auto import tqdm as shown
from tqdm.autonotebook import trange
from tqdm.notebook import tqdm as notebook
for epoch in master_bar([0]):
    for out in track(progress_bar([net(x).sigmoid()])):
        with tqdm.tqdm(notebook(shown([out]))) as bar:
            for number, out in enumerate(bar):
                bar.set_postfix(number=number)
                kept = out * out
                out += 1
for step in trange(1):
    kept.sum().backward()  # fails
""",
        ("out += 1", "out = out + 1"),
    ),
    "fire": (
        """
import fire
def train(rate=0.1):
    out = net(x).exp()
    loss = out.sum()
    out += rate
    loss.backward()  # fails
fire.Fire(train, command=[])
""",
        ("out += rate", "out = out + rate"),
    ),
    "absl absl.app": (
        """
from absl import app
def main(argv):
    loss = net(x).exp().sum()
    loss.backward()
    loss.backward()  # fails
try:
    app.run(main, argv=["train.py"])
except SystemExit:
    pass
""",
        ("loss.backward()\n    loss", "loss.backward(retain_graph=True)\n    loss"),
    ),
    "hydra hydra.utils": (
        """
import hydra
made = hydra.utils.instantiate({"_target_": "torch.optim.SGD", "lr": 0.1}, list(net.parameters()))
loss = net(x).sum()
loss.backward()
made.zero_grad()
loss.backward()  # fails
""",
        ("loss.backward()\nmade", "loss.backward(retain_graph=True)\nmade"),
    ),
}


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets programs import the models as if they were the libraries, those of Python left out."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    own = next(at for at, path in enumerate(sys.path) if path.endswith("site-packages"))
    monkeypatch.setattr(sys, "path", [*sys.path[:own], str(STUBS), *sys.path[own:]])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    hook = FileFinder.path_hook((SourceFileLoader, [SUFFIX]))
    monkeypatch.setattr(sys, "path_hooks", [partial(_below, hook), *sys.path_hooks])
    kept = _forget_libraries()
    yield
    _forget_libraries()
    sys.modules.update(kept)


def _forget_libraries() -> dict[str, ModuleType]:
    """Takes the modules of libraries with models out of those that are imported."""
    tops = {path.name.partition(".")[0] for path in STUBS.iterdir()} - sys.stdlib_module_names
    names = [name for name in sys.modules if name.partition(".")[0] in tops]
    return {name: sys.modules.pop(name) for name in names}


def _below(hook: Callable[[str], FileFinder], folder: str) -> FileFinder:
    """Finds modules in the folders of models, and in no others."""
    if not Path(folder).is_relative_to(STUBS):
        raise ImportError(folder)
    return hook(folder)


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


@pytest.mark.parametrize("modules", PROGRAMS)
def test_the_library_agrees_where_it_is_installed(
    modules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in modules.split():
        pytest.importorskip(module, exc_type=Exception)
    program, (wrong, right) = PROGRAMS[modules]
    with pytest.raises(RuntimeError):
        exec(compile(HEAD + program, "train.py", "exec"), {"__name__": "__main__"})
    exec(
        compile(HEAD + program.replace(wrong, right, 1), "train.py", "exec"),
        {"__name__": "__main__"},
    )


def _module(path: Path) -> str:
    return ".".join(path.relative_to(STUBS).with_suffix("").parts).removesuffix(".__init__")


def test_every_model_is_used_by_a_program() -> None:
    used = {name for modules in PROGRAMS for name in modules.split()}
    used |= {"lightning", "lightning.pytorch", "pytorch_lightning"}  # in test_lightning.py
    assert {_module(path) for path in STUBS.rglob("*.pyi")} == used


def test_the_page_on_models_lists_every_library() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
    listed = page[page.index("4. The models that come") :]
    assert [path.stem for path in STUBS.iterdir() if path.stem not in listed] == []
