"""Random modules: layers, parameters, buffers and state on self, and a training step over them."""

from tests.truth.expressions import call, operand
from tests.truth.statements import backward
from tests.truth.writing import Routine, Var, Writer

LAYERS = [
    "nn.Linear(3, 3)",
    "nn.ReLU()",
    "nn.ReLU(inplace=True)",
    "nn.Sigmoid()",
    "nn.Tanh()",
    "nn.LayerNorm(3)",
    "nn.Dropout(0.5)",
    "nn.Dropout(0.5, inplace=True)",
    "nn.Softmax(dim=-1)",
    "nn.GELU()",
    "nn.LeakyReLU(0.1, inplace=True)",
    "nn.SiLU(inplace=True)",
    "nn.Identity()",
    "nn.Linear(3, 3, bias=False)",
    "nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 3))",
    "nn.Sequential(nn.LayerNorm(3), nn.Tanh())",
    "nn.ELU()",
    "nn.Softplus()",
    "nn.BatchNorm1d(3)",
    "nn.PReLU()",
]


def sequential(w: Writer) -> None:
    """A Sequential under a name, and a call of it."""
    name = w.fresh("net")
    layers = ["nn.Linear(3, 3)", *(w.pick(LAYERS) for _ in range(w.dice.randrange(3)))]
    w.line(f"{name} = nn.Sequential({', '.join(layers)})")
    _use(w, name)


def module(w: Writer) -> None:
    """A module class with an instance and a call of it."""
    depth, w.depth = w.depth, w.depth
    kind, scope = w.fresh("Net"), [Var("x", "mat", grad=w.chance(0.5))]
    w.line(f"class {kind}(nn.Module):")
    with w.function(scope):
        w.depth = depth + 1
        layers, members = _constructor(w)
        w.line("def forward(self, x):")
        w.depth += 1
        w.scope = [*members, *scope]
        _forward(w, layers, members)
    w.depth = depth
    name = w.fresh("net")
    w.line(f"{name} = {kind}()")
    _use(w, name)


def _constructor(w: Writer) -> tuple[list[str], list[Var]]:
    layers, members = [], []
    w.line("def __init__(self):")
    w.depth += 1
    w.line("super().__init__()")
    for _ in range(1 + w.dice.randrange(3)):
        layers.append(w.fresh("self.layer"))
        w.line(f"{layers[-1]} = {w.pick(LAYERS)}")
    if w.chance(0.5):
        w.line("self.scale = nn.Parameter(torch.ones(3))")
        members.append(Var("self.scale", "vec", grad=True, leaf=True, rebind=False))
    if w.chance(0.3):
        w.line('self.register_buffer("mean", torch.zeros(3))')
        members.append(Var("self.mean", "vec"))
    if w.chance(0.3):
        w.line("self.state = torch.zeros(3, 3)")
        members.append(Var("self.state", "mat"))
    w.depth -= 1
    return layers, members


def _forward(w: Writer, layers: list[str], members: list[Var]) -> None:
    last = "x"
    for layer in layers:
        last, before = w.fresh("h"), last
        w.line(f"{last} = {layer}({before})")
        w.bind(Var(last, "mat", grad=True))
        if w.chance(0.4):
            w.statement(w)
    for var in members:
        if var.rebind and w.chance(0.5):
            w.line(f"{var.name} = {operand(w, var.shape, 1)}{w.pick(['', '.detach()', ' * 0.9'])}")
    w.line(f"return {last}")


def _use(w: Writer, name: str) -> None:
    w.routines.append(Routine(name, ("mat",), "mat", grad=True, parameters=True))
    if w.chance(0.4):
        return _training(w, name)
    target = w.fresh("h")
    w.line(f"{target} = {call(w, w.routines[-1], 1)}")
    w.bind(Var(target, "mat", grad=w.grad_mode))
    return None


def _training(w: Writer, name: str) -> None:
    """The usual loop, its steps now and then in another order."""
    optimizer = w.fresh("opt")
    w.line(
        f"{optimizer} = torch.optim.{w.pick(['SGD', 'Adam', 'AdamW'])}({name}.parameters(), lr=0.1)"
    )
    inputs = operand(w, "mat", 1)
    with w.block(f"for {w.fresh('n')} in range(3):"):
        w.optimizers.append(optimizer)
        w.line(f"{optimizer}.zero_grad()")
        out = w.fresh("h")
        w.line(f"{out} = {name}({inputs})")
        w.bind(Var(out, "mat", grad=True))
        if w.chance(0.3):
            w.statement(w)
        if w.chance(0.1):
            w.line(f"{optimizer}.step()")
        backward(w)
        w.line(f"{optimizer}.step()")
