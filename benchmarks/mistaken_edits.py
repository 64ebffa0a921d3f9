"""Mistakes to put into programs: each finds where it can be made, and says what is to stand there.

They are the reverse of what projects have mended: a clean-up that is forgotten, a graph that is cut
or kept, parameters that nobody registers, a write into what an operator has saved.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

OPTIMIZER = re.compile(r"opt", re.IGNORECASE)
SAVING = re.compile(
    r"((torch|F|nn\.functional)\.(relu|sigmoid|tanh|softmax|exp|sqrt)"
    r"|\w+\.(relu|sigmoid|tanh|softmax|exp|sqrt))$"
)
NOT_TORCH = re.compile(r"(np|numpy|math|jnp|tf|jax|scipy|cmath)\.")
WRITES_PARAMETER = re.compile(r"\.(copy_|mul_|add_|sub_|fill_|zero_|normal_|uniform_|clamp_)\(")


@dataclass(frozen=True)
class Edit:
    """The rows of a program, from one to another, and what is to stand there instead."""

    first: int
    last: int
    rows: list[str]


Rows = list[str]
Mistake = Callable[[ast.Module, Rows], Iterator[Edit]]


def method_call(node: ast.AST) -> tuple[ast.Call, ast.Attribute] | None:
    """The call of a method that a statement is; None of any other."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return call, call.func
    return None


def method_calls(tree: ast.Module) -> Iterator[tuple[ast.stmt, ast.Call, ast.Attribute]]:
    """The statements that are a call of a method."""
    for node in ast.walk(tree):
        found = method_call(node)
        if found is not None and isinstance(node, ast.stmt):
            yield node, *found


def is_backward(call: ast.Call, function: ast.Attribute) -> bool:
    return function.attr == "backward" and not call.args and not call.keywords


def is_step(call: ast.Call, function: ast.Attribute) -> bool:
    owner = ast.unparse(function.value)
    return function.attr == "step" and not call.args and bool(OPTIMIZER.search(owner))


def text_of(rows: Rows, node: ast.stmt) -> Rows:
    return rows[node.lineno - 1 : node.end_lineno]


def instead(node: ast.stmt, rows: Rows) -> Edit:
    return Edit(node.lineno, node.end_lineno or node.lineno, rows)


def left_out(node: ast.stmt, rows: Rows) -> Edit:
    """A program without a statement."""
    return instead(node, [f"{indent(rows, node)}pass\n"])


def indent(rows: Rows, node: ast.stmt) -> str:
    return " " * node.col_offset if rows[node.lineno - 1][: node.col_offset].isspace() else ""


def never_cleared(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`zero_grad()` is forgotten."""
    for node, _, function in method_calls(tree):
        if function.attr == "zero_grad":
            yield left_out(node, rows)


def backward_twice(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`backward()` is called a second time."""
    for node, call, function in method_calls(tree):
        if is_backward(call, function):
            yield instead(node, text_of(rows, node) * 2)


def backward_not_called(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`loss.backward`, without parentheses."""
    for node, call, function in method_calls(tree):
        if is_backward(call, function):
            yield instead(
                node, [row.replace("backward()", "backward") for row in text_of(rows, node)]
            )


def step_not_called(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`optimizer.step`, without parentheses."""
    for node, call, function in method_calls(tree):
        if is_step(call, function):
            yield instead(node, [row.replace(".step()", ".step") for row in text_of(rows, node)])


def neighbours(tree: ast.Module) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """The statements that stand one right behind the other."""
    for node in ast.walk(tree):
        for block in vars(node).values():
            pairs = pairwise(block) if isinstance(block, list) else ()
            yield from ((a, b) for a, b in pairs if isinstance(a, ast.stmt))


def exchanged(one: ast.stmt, other: ast.stmt, rows: Rows) -> Edit:
    """A program with two neighbouring statements in the other order."""
    swapped = [*text_of(rows, other), *text_of(rows, one)]
    return Edit(one.lineno, other.end_lineno or other.lineno, swapped)


def steps_behind_backward(tree: ast.Module) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """The calls of backward right behind which an optimizer steps, and these steps."""
    for one, other in neighbours(tree):
        first, second = method_call(one), method_call(other)
        if first and second and is_backward(*first) and is_step(*second):
            yield one, other


def step_before_backward(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """The optimizer steps first."""
    return (exchanged(one, other, rows) for one, other in steps_behind_backward(tree))


def number_not_taken(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A sum or a list that goes on takes in a tensor, where it took in a number."""
    for node in ast.walk(tree):
        gathers = isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Expr) and ".append(" in rows[node.lineno - 1]
        )
        if gathers and isinstance(node, ast.stmt) and node.lineno == node.end_lineno:
            row = rows[node.lineno - 1]
            if row.count(".item()") == 1:
                yield instead(node, [row.replace(".item()", "")])


def loss_kept(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A sum or a list takes in the loss, where it took in its number."""
    return (edit for edit in number_not_taken(tree, rows) if "loss" in edit.rows[0])


def result_scaled(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """What an activation has saved is written in place."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        target, function = node.targets[0], ast.unparse(node.value.func)
        plain = isinstance(target, ast.Name) and rows[node.lineno - 1][: node.col_offset].isspace()
        if plain and SAVING.match(function) and not NOT_TORCH.match(function):
            written = f"{indent(rows, node)}{ast.unparse(target)}.mul_(0.5)\n"
            yield instead(node, [*text_of(rows, node), written])


def _owned(tree: ast.Module, name: str) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef]]:
    """The methods of a name, with their classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                if isinstance(one, ast.FunctionDef) and one.name == name:
                    yield node, one


def _is_module(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("Module") for base in node.bases)


def has_own_rows(rows: Rows, node: ast.stmt) -> bool:
    """Whether a statement has its rows for itself."""
    return rows[node.lineno - 1][: node.col_offset].isspace()


def modules_in_list(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Modules in a plain list, where they were in a `ModuleList`."""
    for _, method in _owned(tree, "__init__"):
        for node in ast.walk(method):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            call, target = node.value, ast.unparse(node.targets[0])
            if not (target.startswith("self.") and ast.unparse(call.func).endswith("ModuleList")):
                continue
            held = f"list({ast.unparse(call.args[0])})" if call.args else "[]"
            yield instead(node, [f"{indent(rows, node)}{target} = {held}\n"])


def parameter_plain(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A tensor that requires grad, where there was a `Parameter`."""
    for cls, method in _owned(tree, "__init__"):
        for node in ast.walk(method) if _is_module(cls) else ():
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            call, target = node.value, ast.unparse(node.targets[0])
            plain = target.startswith("self.") and len(call.args) == 1 and not call.keywords
            if plain and re.fullmatch(r"(torch\.)?(nn\.)?Parameter", ast.unparse(call.func)):
                held = f"({ast.unparse(call.args[0])}).requires_grad_()"
                yield instead(node, [f"{indent(rows, node)}{target} = {held}\n"])


def loss_wrapped(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A loss is made anew from its number before the backward."""
    for node, call, function in method_calls(tree) if _imports_torch(tree) else ():
        if is_backward(call, function) and isinstance(function.value, ast.Name):
            name = function.value.id
            made = f"{indent(rows, node)}{name} = torch.tensor({name}.item(), requires_grad=True)\n"
            yield instead(node, [made, *text_of(rows, node)])


def term_cut(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """One term of a loss is a number."""
    walked = {
        function.value.id
        for _, call, function in method_calls(tree)
        if is_backward(call, function) and isinstance(function.value, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp):
            continue
        target, left, right = node.targets[0], node.value.left, node.value.right
        is_loss = isinstance(target, ast.Name) and target.id in walked
        names = isinstance(left, ast.Name) and isinstance(right, ast.Name)
        if is_loss and names and isinstance(node.value.op, ast.Add) and has_own_rows(rows, node):
            told = f"{ast.unparse(target)} = {ast.unparse(left)} + {ast.unparse(right)}.item()\n"
            yield instead(node, [indent(rows, node) + told])


def _imports_torch(tree: ast.Module) -> bool:
    """Whether the module itself is there under its own name."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import))
    return any(one.name == "torch" and not one.asname for node in imports for one in node.names)


def graph_cut(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`forward` returns what has no graph."""
    for cls, method in _owned(tree, "forward"):
        last = method.body[-1]
        plain = isinstance(last, ast.Return) and isinstance(last.value, ast.Name)
        if plain and _is_module(cls) and isinstance(last, ast.Return) and last.value:
            told = f"return {ast.unparse(last.value)}.detach()\n"
            yield instead(last, [indent(rows, last) + told])


def through_numpy(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`forward` returns what went through an array."""
    for edit in graph_cut(tree, rows) if _imports_torch(tree) else ():
        told = edit.rows[0].replace("return ", "return torch.from_numpy(")
        yield Edit(edit.first, edit.last, [told.replace(".detach()", ".detach().cpu().numpy())")])


def forward_without_grad(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`forward` has a decorator for evaluation."""
    for cls, method in _owned(tree, "forward") if _imports_torch(tree) else ():
        if _is_module(cls) and not method.decorator_list:
            mark = f"{indent(rows, method)}@torch.no_grad()\n"
            yield Edit(method.lineno, method.lineno, [mark, rows[method.lineno - 1]])


def gradient_missing(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """The backward of a custom Function returns one gradient too few."""
    for cls, method in _owned(tree, "backward"):
        if not any(ast.unparse(base).endswith("Function") for base in cls.bases):
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                told = ", ".join(map(ast.unparse, node.value.elts[:-1]))
                yield instead(node, [f"{indent(rows, node)}return {told}\n"])


def state_keeps_graph(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """An attribute that goes on from call to call is no more detached."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not has_own_rows(rows, node):
            continue
        target, value = ast.unparse(node.targets[0]), node.value
        detaches = isinstance(value, ast.Call) and ast.unparse(value.func).endswith(".detach")
        if detaches and isinstance(value, ast.Call) and target.startswith("self."):
            held = ast.unparse(value).removesuffix(".detach()")
            if held != target:
                yield instead(node, [f"{indent(rows, node)}{target} = {held}\n"])


def scheduler_first(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """The schedule steps before the optimizer, right behind the clearing of the gradients."""
    for one, other in neighbours(tree):
        first = method_call(one)
        if first and is_step(*first) and method_call(other) and "sched" in ast.unparse(other):
            yield exchanged(one, other, rows)


def unscale_forgotten(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Gradients are clipped while they are scaled."""
    if "clip_grad" in "".join(rows):
        for node, _, function in method_calls(tree):
            if function.attr == "unscale_":
                yield left_out(node, rows)


def with_grad_mode(tree: ast.Module, rows: Rows) -> Iterator[tuple[Edit, str]]:
    """What a program computes without grad mode, with it; and the text of what that is."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.With) or not has_own_rows(rows, node):
            continue
        alone = len(node.items) == 1 and node.body[0].lineno > node.lineno
        if alone and ast.unparse(node.items[0].context_expr) == "torch.no_grad()":
            body = "".join(rows[node.lineno : node.end_lineno])
            yield Edit(node.lineno, node.lineno, [f"{indent(rows, node)}if True:\n"]), body


def written_with_graph(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """What was written without grad mode is written with it."""
    found = with_grad_mode(tree, rows)
    return (edit for edit, body in found if WRITES_PARAMETER.search(body))


MISTAKES: list[Mistake] = [
    never_cleared,
    backward_twice,
    backward_not_called,
    step_not_called,
    step_before_backward,
    loss_kept,
    result_scaled,
    modules_in_list,
    parameter_plain,
    loss_wrapped,
    term_cut,
    graph_cut,
    through_numpy,
    forward_without_grad,
    gradient_missing,
    state_keeps_graph,
    scheduler_first,
    unscale_forgotten,
    written_with_graph,
]

# The rule that names each mistake.
NAMED_BY = {
    "never_cleared": "AG401",
    "backward_twice": "AG201",
    "backward_not_called": "AG408",
    "step_not_called": "AG408",
    "step_before_backward": "AG403",
    "loss_kept": "AG501",
    "result_scaled": "AG103",
    "modules_in_list": "AG322",
    "parameter_plain": "AG322",
    "loss_wrapped": "AG313",
    "term_cut": "AG312",
    "graph_cut": "AG311",
    "through_numpy": "AG311",
    "forward_without_grad": "AG311",
    "gradient_missing": "AG601",
    "state_keeps_graph": "AG202",
    "scheduler_first": "AG406",
    "unscale_forgotten": "AG405",
    "written_with_graph": "AG101",
    "step_left_out": "AG412",
    "backward_left_out": "AG321",
    "cleared_before_step": "AG402",
    "trained_behind_loop": "AG413",
}
