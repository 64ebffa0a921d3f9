"""Random simple statements: bindings, in-place writes, flags, backward calls, optimizers."""

from tests.truth.expressions import constant, expression, fill, gradual, index, mask, operand
from tests.truth.operations import ALL_STATEMENTS, INPLACE_METHODS, INTEGER_STATEMENTS
from tests.truth.operations import STATEMENTS as INPLACE
from tests.truth.writing import SIZES, Var, Writer

SHAPES = ("mat", "vec")


def leaf(w: Writer, shape: str) -> Var:
    """A new leaf that requires grad."""
    size = SIZES[shape]
    name = w.fresh("w")
    w.line(
        w.pick(
            [
                f"{name} = torch.ones({size}, requires_grad=True)",
                f"{name} = torch.randn({size}, requires_grad=True)",
                f"{name} = torch.rand({size}, requires_grad=True)",
                f"{name} = nn.Parameter(torch.ones({size}))",
                f"{name} = torch.randn({size}).requires_grad_()",
                f"{name} = torch.zeros({size}); {name}.requires_grad = True",
            ]
        )
    )
    return w.bind(Var(name, shape, grad=True, leaf=True))


def data(w: Writer, shape: str) -> Var:
    """A new tensor without gradient."""
    name = w.fresh("x")
    w.line(f"{name} = {constant(w, shape)}")
    return w.bind(Var(name, shape))


def assign(w: Writer) -> None:
    """`h = expression`, most often under a new name."""
    shape = w.weighted([(6, "mat"), (5, "vec"), (1, "scalar")])
    old = [v for v in w.variables(shape) if v.rebind and not v.leaf]
    text = expression(w, shape, 2)
    grad = gradual(w, text)
    name = w.pick(old).name if old and w.chance(0.2) else w.fresh("h")
    w.line(f"{name} = {text}")
    w.bind(Var(name, shape, grad=grad))


def alias(w: Writer) -> None:
    """Another name, or several names at once, for what there is."""
    mats, vecs = w.variables("mat"), w.variables("vec")
    if mats and w.chance(0.5):
        source = w.pick(mats[::-1])
        names = [w.fresh("r") for _ in range(3)]
        form = w.pick(
            ["{}", "{}.unbind(0)", "{}.unbind(1)", "list({})", "[t[0] for t in {}.split(1)]"]
        )
        w.line(f"{', '.join(names)} = {form.format(source.name)}")
        for name in names:
            w.bind(Var(name, "vec", grad=source.grad))
        return None
    known = mats + vecs
    if not known:
        return assign(w)
    source = w.pick(known[::-1])
    name = w.fresh("a")
    w.line(
        f"{name} = {source.name}{w.pick(['', '[:]', '.view_as(' + source.name + ')', '.detach()'])}"
    )
    w.bind(Var(name, source.shape, grad=source.grad and ".detach" not in w.lines[-1]))
    return None


def integers(w: Writer) -> None:
    """An index vector or a mask."""
    name = w.fresh("i")
    if w.chance(0.5):
        vec = operand(w, "vec", 0)
        w.line(
            f"{name} = {w.pick(['torch.tensor([0, 2, 1])', 'torch.arange(3)', vec + '.argsort()'])}"
        )
        w.bind(Var(name, "vec", "int"))
        return
    shape = w.pick(SHAPES)
    w.line(f"{name} = {mask(w, shape)}")
    w.bind(Var(name, shape, "mask"))


def inplace(w: Writer) -> None:
    """An in-place write; leaves are spared most of the time."""
    if w.variables("vec", "int") and w.chance(0.12):
        w.line(
            fill(w, w.pick(INTEGER_STATEMENTS), "vec", 0, w.pick(w.variables("vec", "int")).name)
        )
        return None
    targets = w.variables()
    if w.chance(0.95):
        targets = [v for v in targets if not v.leaf]
    if not targets:
        return assign(w)
    read = [v for v in targets if v.grad and w.uses(v.name) > 1]
    target = w.pick((read if read and w.chance(0.8) else targets)[::-1])
    if w.chance(0.45):
        method = fill(w, w.pick(INPLACE_METHODS), target.shape, 1)
        binding = f"{w.fresh('h')} = " if w.chance(0.15) else ""
        w.line(f"{binding}{target.name}.{method}")
        if binding:
            w.bind(Var(binding[:-3], target.shape, grad=target.grad))
    else:
        rare = ALL_STATEMENTS.get(target.shape, []) if w.chance(0.3) else []
        template = w.pick(rare or INPLACE[target.shape])
        w.line(fill(w, template, target.shape, 1, target.name))
    w.regrade(target.name, target.grad or gradual(w, w.lines[-1]))
    return None


def flag(w: Writer) -> None:
    """A change of a flag, or a look at a value."""
    leaves = [v for v in w.variables() if v.leaf and v.rebind]
    other = [v for v in w.variables() if not v.leaf and v.rebind]
    var = (
        w.pick(leaves)
        if leaves and (w.chance(0.4) or not other)
        else w.pick(other[::-1] or w.variables())
    )
    form = w.weighted(
        [
            (3, "{}.retain_grad()"),
            (3, "{}.requires_grad_()"),
            (1, "{}.requires_grad_(False)"),
            (1, "{}.requires_grad = False"),
            (2, "{} = {}.detach()"),
            (1, "{} = {}.detach().requires_grad_()"),
            (2, "{}.detach_()"),
            (2, "{}.numpy()"),
            (5, "{}.detach().numpy()"),
            (3, "print({}.sum().item())"),
            (2, "print({}.tolist())"),
            (2, "{}.grad = None"),
            (1, "{}.register_hook(lambda g: g * 2)"),
            (1, "copy.deepcopy({})"),
            (2, "copy.deepcopy({}.detach())"),
            (2, "assert isinstance({}, torch.Tensor)"),
            (1, "{}.detach().numpy()[...] = 1.0"),
        ]
    )
    if form.startswith("{} =") and not var.rebind:
        return
    w.line(form.replace("{}", var.name))
    if "detach" in form and "=" in form and "numpy" not in form:
        w.bind(
            Var(var.name, var.shape, grad="requires_grad_" in form, leaf="requires_grad_" in form)
        )


def loss(w: Writer, terms: int) -> str:
    """The name of a scalar to call backward on, most often one that requires grad."""
    grown = [v for v in w.variables() if v.grad and not v.leaf]
    anything = grown or [v for v in w.variables() if v.grad] or w.variables()
    if grown and w.chance(0.06):
        return w.pick(grown[::-1]).name
    ready = [v for v in w.variables("scalar") if v.grad and not v.leaf]
    if ready and w.chance(0.3):
        return w.pick(ready[::-1]).name
    if w.chance(0.03):
        anything = w.variables()
    name = w.fresh("loss")
    roots = dict.fromkeys(w.pick(anything[::-1]) for _ in range(1 + w.dice.randrange(terms)))
    w.line(f"{name} = {' + '.join(_reduced(w, root) for root in roots)}")
    w.bind(Var(name, "scalar", grad=gradual(w, w.lines[-1])))
    return name


def _reduced(w: Writer, var: Var) -> str:
    if var.shape == "scalar":
        return var.name
    forms = ["{}.sum()", "{}.mean()", "({} ** 2).sum()", "{}.pow(2).sum()", "{}.norm()"]
    return w.pick([*forms, "{}.exp().sum()"]).replace("{}", var.name)


def backward(w: Writer, terms: int = 2, retained: bool = False) -> None:
    """A backward or grad call, of a sum of at most so many terms."""
    if not w.grad_mode and not w.chance(0.1):
        return assign(w)
    root = loss(w, terms)
    leaves = [v for v in w.variables() if v.leaf and v.grad]
    if retained and w.chance(0.4):
        w.line(f"{root}.backward(retain_graph=True)")
        return None
    if leaves and w.chance(0.2):
        return _grad(w, root, leaves)
    form = w.weighted(
        [
            (10, "{}.backward()"),
            (3, "{}.backward(retain_graph=True)"),
            (1, "{}.backward(create_graph=True)"),
            (1, "torch.autograd.backward({})"),
            (1, "torch.autograd.backward([{}])"),
            (1, "{}.backward(gradient=torch.ones_like({}))"),
            (1, "{}.backward(torch.ones_like({}), retain_graph=True)"),
        ]
    )
    if leaves and w.chance(0.1):
        form = "{}.backward(inputs=[" + w.pick(leaves).name + "])"
    w.line(form.replace("{}", root))
    return None


def _grad(w: Writer, root: str, leaves: list[Var]) -> None:
    var = w.pick(leaves)
    name = w.fresh("g")
    extra = w.pick(["", ", create_graph=True", ", retain_graph=True", ", allow_unused=True"])
    form = w.pick(
        ["({n},) = torch.autograd.grad({r}, {v}{e})", "{n} = torch.autograd.grad({r}, [{v}]{e})[0]"]
    )
    w.line(form.format(n=name, r=root, v=var.name, e=extra))
    if "unused" not in extra:
        w.bind(Var(name, var.shape, grad="create_graph" in extra))


def update(w: Writer) -> None:
    """A hand-made gradient step."""
    leaves = [v for v in w.variables() if v.leaf and v.grad and v.rebind]
    if not leaves:
        return assign(w)
    name = w.pick(leaves).name
    w.line(f"if {name}.grad is not None:")
    form = w.weighted(
        [
            (4, "with torch.no_grad(): {} -= 0.1 * {}.grad"),
            (2, "{}.data -= 0.1 * {}.grad"),
            (2, "with torch.no_grad(): {}.sub_({}.grad)"),
            (1, "{} -= 0.1 * {}.grad"),
            (1, "{} = {} - 0.1 * {}.grad"),
            (2, "{}.grad.zero_()"),
            (1, "nn.utils.clip_grad_norm_([{}], 1.0)"),
        ]
    )
    w.line("    " + form.replace("{}", name))
    return None


def optimizer(w: Writer) -> None:
    """A new optimizer, or a call of one."""
    if w.optimizers and w.chance(0.8):
        name = w.pick(w.optimizers)
        method = [(5, "step()"), (4, "zero_grad()"), (1, "zero_grad(set_to_none=False)")]
        w.line(f"{name}.{w.weighted(method)}")
        return None
    leaves = [v.name for v in w.variables() if v.leaf and v.rebind]
    others = [v.name for v in w.variables() if not v.leaf and v.rebind]
    if w.chance(0.25) and others:
        leaves = [w.pick(others[::-1])]
    if not leaves:
        return assign(w)
    models = [r.name for r in w.routines if r.parameters]
    group = f"[{', '.join(dict.fromkeys(w.pick(leaves) for _ in range(2)))}]"
    if models and w.chance(0.8):
        group = f"{w.pick(models)}.parameters()"
    kind = w.pick(["SGD", "Adam", "AdamW", "SGD", "RMSprop", "Adagrad"])
    fused = kind in ("SGD", "Adam", "AdamW") and w.chance(0.15)
    name = w.fresh("opt")
    w.line(f"{name} = torch.optim.{kind}({group}, lr=0.1{', fused=True' if fused else ''})")
    w.optimizers.append(name)
    return None


def container(w: Writer) -> None:
    """A list, dict or tuple of tensors: made, grown, or read."""
    if w.lists and w.chance(0.6):
        name, shape = w.pick(w.lists)
        if w.chance(0.4):
            w.line(f"{name}.append({operand(w, shape, 1)})")
            return
        target = w.fresh("h")
        form = w.pick(
            ["{l}[0]", "{l}[-1] * 2", "torch.stack({l}).sum(0)", "sum({l})", "{l}[0].clone()"]
        )
        w.line(f"{target} = {form.format(l=name)}")
        w.bind(Var(target, shape, grad=w.grad_mode))
        return
    shape = w.pick(SHAPES)
    first, second = operand(w, shape, 1), operand(w, shape, 1)
    name = w.fresh("d")
    if w.chance(0.35):
        w.line(f'{name} = {{"a": {first}, "b": {second}}}')
        for key in "ab":
            w.bind(Var(f'{name}["{key}"]', shape, grad=w.grad_mode, rebind=False))
    elif w.chance(0.35):
        w.line(f"{name}, {name}b = {first}, {second}")
        w.bind(Var(name, shape, grad=w.grad_mode))
    else:
        comprehension = f"[t * 2 for t in ({first}, {second})]"
        w.line(f"{name} = {w.pick([f'[{first}, {second}]', comprehension, f'[{first}]'])}")
        w.lists.append((name, shape))


def gather(w: Writer) -> None:
    """An index read with a variable index."""
    name = w.fresh("h")
    w.line(f"{name} = {operand(w, 'mat', 1)}[{index(w)}]")
    w.bind(Var(name, "mat", grad=gradual(w, w.lines[-1])))
