"""Random compound statements: grad-mode blocks, loops, branches, functions."""

from dataclasses import replace

from tests.truth.expressions import call, closed, expression, gradual, operand
from tests.truth.statements import SHAPES, assign, backward
from tests.truth.writing import Routine, Var, Writer

MODES = [
    (8, "torch.no_grad()", False),
    (3, "torch.enable_grad()", True),
    (2, "torch.set_grad_enabled(False)", False),
    (2, "torch.set_grad_enabled(True)", True),
    (4, "torch.inference_mode()", False),
    (1, "torch.inference_mode(False)", True),
    (1, "torch.autograd.set_grad_enabled(mode=False)", False),
]


def grad_mode(w: Writer) -> None:
    """A block under a grad mode; what it binds lives on, as in Python."""
    context, enabled = w.weighted([(weight, (c, e)) for weight, c, e in MODES])
    alive: list[Var] = []
    with w.mode(enabled), w.block(f"with {context}:"):
        w.body(3)
        alive = list(w.scope)
    for var in alive:
        if "." not in var.name and "[" not in var.name:
            w.bind(var)


def switch(w: Writer) -> None:
    """`set_grad_enabled` as a statement, switched back some statements later."""
    w.line("torch.set_grad_enabled(False)")
    with w.mode(False):
        w.body(2)
    w.line("torch.set_grad_enabled(True)")


def branch(w: Writer) -> None:
    """An `if` on something known, or on values that only a run decides."""
    condition = w.weighted([(3, known_condition), (2, unknown_condition)])(w)
    with w.block(f"if {condition}:"):
        w.body(2)
    if w.chance(0.4):
        with w.block("else:"):
            w.body(2)


def known_condition(w: Writer) -> str:
    """A condition that the program decides."""
    var = w.pick(w.variables()[::-1])
    form = w.pick(
        [
            "True",
            "False",
            "not False",
            "{}.requires_grad",
            "{} is not None",
            "{}.is_leaf",
            "isinstance({}, torch.Tensor)",
            "torch.is_grad_enabled()",
            "{}.requires_grad and torch.is_grad_enabled()",
            "{}.grad is None",
            "{}.grad_fn is not None",
            "len([{}]) > 1",
            "{}.dim() == 2",
        ]
    )
    return form.replace("{}", var.name)


def unknown_condition(w: Writer) -> str:
    """A condition on values."""
    w.decided = False
    var = w.pick(w.variables()[::-1])
    form = w.pick(
        [
            "{}.sum() > 0",
            "{}.mean().item() < 0.5",
            "float({}.max()) > 1",
            "torch.rand(1).item() < 0.5",
            "({} > 0).any()",
            "torch.isnan({}).any()",
        ]
    )
    return form.replace("{}", var.name)


def loop(w: Writer) -> None:
    """A loop over a range, tensors, or a list."""
    mats = [v for v in w.variables("mat") if v.kind == "float"]
    kind = w.weighted(
        [(5, "range"), (2, "names"), (1, "rows"), (1, "enumerate"), (1, "while"), (1, "zip")]
    )
    if kind == "rows" and mats:
        name, source = w.fresh("row"), w.pick(mats[::-1])
        with w.block(f"for {name} in {source.name}:"):
            w.bind(Var(name, "vec", grad=source.grad))
            _round(w, name)
    elif kind in ("names", "enumerate", "zip"):
        _over_names(w, kind)
    elif kind == "while":
        name = w.fresh("n")
        w.line(f"{name} = 0")
        with w.block(f"while {name} < 2:"):
            w.line(f"{name} += 1")
            _round(w, name)
    else:
        name = w.fresh("n")
        with w.block(f"for {name} in range({w.pick([2, 3, 3])}):"):
            _round(w, name)


def _over_names(w: Writer, kind: str) -> None:
    shape = w.pick(SHAPES)
    name, first, second = w.fresh("t"), operand(w, shape, 1), operand(w, shape, 1)
    heads = {
        "names": f"for {name} in [{first}, {second}]:",
        "enumerate": f"for {name}i, {name} in enumerate(({first}, {second})):",
        "zip": f"for {name}, {name}b in zip([{first}, {second}], [{second}, {first}]):",
    }
    with w.block(heads[kind]):
        w.bind(Var(name, shape, grad=w.grad_mode))
        _round(w, name if kind != "enumerate" else name + "i")


def _round(w: Writer, name: str) -> None:
    """The body of a loop: it often rebinds what was there before, and often ends in a backward."""
    w.body(3)
    carried = [v for v in w.variables() if v.rebind and not v.leaf and v.shape in SHAPES]
    if carried and w.chance(0.5):
        var = w.pick(carried)
        text = expression(w, var.shape, 1)
        w.line(f"{var.name} = {text}")
        w.bind(replace(var, grad=gradual(w, text)))
    if w.chance(0.4) and w.variables():
        backward(w, retained=True)
    if name[0] == "n" and w.chance(0.1):
        w.line(f"if {name} == 1:")
        w.line(f"    {w.pick(['break', 'continue'])}")


def function(w: Writer) -> None:
    """A function, and a call of it."""
    name, shape = w.fresh("f"), w.pick(SHAPES)
    shapes = tuple(w.pick(SHAPES) for _ in range(1 + w.dice.randrange(2)))
    parameters = [Var(w.fresh("p"), s, grad=w.chance(0.6)) for s in shapes]
    keyword = w.fresh("k") if w.chance(0.4) else ""
    head = ", ".join([*(p.name for p in parameters), *([f"{keyword}=2.0"] if keyword else [])])
    closure = [replace(v, rebind=False) for v in w.scope] if w.chance(0.4) else []
    mode = w.weighted([(12, None), (2, ("no_grad()", False)), (1, ("enable_grad()", True))])
    if mode:
        w.line(f"@torch.{mode[0]}")
    depth = w.depth
    with w.function([*closure, *parameters]), w.mode(mode[1] if mode else True):
        w.line(f"def {name}({head}):")
        w.depth = depth + 1
        w.body(3)
        result = operand(w, shape, 1)
        grows = gradual(w, result)
        result = closed(result) + f" * {keyword}" if keyword else result
        if w.chance(0.15):
            w.line(f"if {known_condition(w)}:")
            w.line(f"    return {operand(w, shape, 0)}")
        w.line(f"return {result}")
        w.depth = depth
    keywords = (f"{keyword}=0.5",) if keyword else ()
    routine = Routine(name, shapes, shape, keywords, grad=grows and None)
    w.routines.append(routine)
    target = w.fresh("h")
    text = call(w, routine, 1)
    w.line(f"{target} = {text}")
    w.bind(Var(target, shape, grad=gradual(w, text)))


def simple(w: Writer) -> None:
    """A lambda, and a call of it."""
    if not w.variables("vec"):
        return assign(w)
    name = w.fresh("f")
    with w.function([Var("z", "vec", grad=True)]):
        text = expression(w, "vec", 0)
    w.line(f"{name} = lambda z: {text}")
    w.routines.append(Routine(name, ("vec",), "vec"))
    target = w.fresh("h")
    w.line(f"{target} = {call(w, w.routines[-1], 0)}")
    w.bind(Var(target, "vec", grad=True))
    return None
