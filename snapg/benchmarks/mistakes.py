"""Whether the linter sees a mistake that is put into a real training program.

`python -m benchmarks.mistakes FOLDER... [--most N] [--json]`; each FOLDER is a project, which is
read, never run. One mistake at a time goes into one file (at most N of a kind), beside the rest of
its project in a folder of its own, and is seen when something is claimed that was not claimed
before. Not every mistake does harm: what runs without grad mode keeps no graph.
"""

import argparse
import ast
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.claims import Claim, claims

OPTIMIZER = re.compile(r"opt", re.IGNORECASE)
SAVING = re.compile(r"(torch|F|nn\.functional)\.(relu|sigmoid|tanh|softmax)$")


@dataclass(frozen=True)
class Edit:
    """The rows of a program, from one to another, and what is to stand there instead."""

    first: int
    last: int
    rows: list[str]


@dataclass(frozen=True)
class Outcome:
    """One mistake: which, where, and the codes of what was claimed anew."""

    mistake: str
    path: str
    row: int
    seen: list[str]


Rows = list[str]


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Expr, ast.Call, ast.Attribute]]:
    """The statements that are a call of a method."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            if isinstance(function, ast.Attribute):
                yield node, node.value, function


def _is_backward(call: ast.Call, function: ast.Attribute) -> bool:
    return function.attr == "backward" and not call.args and not call.keywords


def _is_step(call: ast.Call, function: ast.Attribute) -> bool:
    owner = ast.unparse(function.value)
    return function.attr == "step" and not call.args and bool(OPTIMIZER.search(owner))


def _text(rows: Rows, node: ast.stmt) -> Rows:
    return rows[node.lineno - 1 : node.end_lineno]


def _instead(node: ast.stmt, rows: Rows) -> Edit:
    return Edit(node.lineno, node.end_lineno or node.lineno, rows)


def _indent(rows: Rows, node: ast.stmt) -> str:
    return " " * node.col_offset if rows[node.lineno - 1][: node.col_offset].isspace() else ""


def never_cleared(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`zero_grad()` is forgotten."""
    for node, _, function in _calls(tree):
        if function.attr == "zero_grad":
            yield _instead(node, [f"{_indent(rows, node)}pass\n"])


def backward_twice(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`backward()` is called a second time."""
    for node, call, function in _calls(tree):
        if _is_backward(call, function):
            yield _instead(node, _text(rows, node) * 2)


def backward_not_called(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`loss.backward`, without parentheses."""
    for node, call, function in _calls(tree):
        if _is_backward(call, function):
            yield _instead(
                node, [row.replace("backward()", "backward") for row in _text(rows, node)]
            )


def step_not_called(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`optimizer.step`, without parentheses."""
    for node, call, function in _calls(tree):
        if _is_step(call, function):
            yield _instead(node, [row.replace(".step()", ".step") for row in _text(rows, node)])


def step_before_backward(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """The optimizer steps first."""
    statements = {id(node): (call, function) for node, call, function in _calls(tree)}
    blocks = [value for node in ast.walk(tree) for value in vars(node).values()]
    for block in blocks:
        for one, other in pairwise(block) if isinstance(block, list) else ():
            first, second = statements.get(id(one)), statements.get(id(other))
            if first and second and _is_backward(*first) and _is_step(*second):
                swapped = [*_text(rows, other), *_text(rows, one)]
                yield Edit(one.lineno, other.end_lineno, swapped)


def loss_kept(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A sum or a list takes in the loss, where it took in its number."""
    for node in ast.walk(tree):
        gathers = isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Expr) and ".append(" in rows[node.lineno - 1]
        )
        if gathers and isinstance(node, ast.stmt) and node.lineno == node.end_lineno:
            row = rows[node.lineno - 1]
            if "loss" in row and row.count(".item()") == 1:
                yield _instead(node, [row.replace(".item()", "")])


def result_scaled(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """What an activation has saved is written in place."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        target, function = node.targets[0], ast.unparse(node.value.func)
        plain = isinstance(target, ast.Name) and rows[node.lineno - 1][: node.col_offset].isspace()
        if plain and SAVING.match(function):
            written = f"{_indent(rows, node)}{ast.unparse(target)}.mul_(0.5)\n"
            yield _instead(node, [*_text(rows, node), written])


MISTAKES: list[Callable[[ast.Module, Rows], Iterator[Edit]]] = [
    never_cleared,
    backward_twice,
    backward_not_called,
    step_not_called,
    step_before_backward,
    loss_kept,
    result_scaled,
]


def _key(text: str, claim: Claim) -> tuple[str, str]:
    """What a claim says, wherever the line stands by now."""
    rows = text.splitlines()
    return claim.code, rows[claim.row - 1].strip() if 0 < claim.row <= len(rows) else ""


def outcomes(file: Path, root: Path, most: int) -> Iterator[Outcome]:
    """Every mistake in a file of a project, which is written and put back."""
    text = file.read_text(encoding="utf-8", errors="replace")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    rows = text.splitlines(keepends=True)
    found = [(make, edit) for make in MISTAKES for edit in list(make(tree, rows))[:most]]
    before = {_key(text, claim) for claim in claims(file, root=root)} if found else set()
    for make, edit in found:
        wrong = "".join([*rows[: edit.first - 1], *edit.rows, *rows[edit.last :]])
        file.write_text(wrong, encoding="utf-8")
        new = [claim for claim in claims(file, root=root) if _key(wrong, claim) not in before]
        path = str(file.relative_to(root))
        yield Outcome(make.__name__, path, edit.first, sorted({claim.code for claim in new}))
    file.write_text(text, encoding="utf-8")


def programs(root: Path) -> Iterable[Path]:
    """The files of a project that may train something."""
    for file in sorted(root.rglob("*.py")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if "torch" in text and ("backward(" in text or "relu" in text):
            yield file


def main() -> None:
    """Print, by mistake, how many were seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=2, help="mistakes of a kind in one file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: list[Outcome] = []
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as place:
            root = Path(shutil.copytree(folder, Path(place) / folder.name, symlinks=True))
            for file in programs(root):
                found.extend(outcomes(file, root, options.most))
    if options.json:
        print(json.dumps([asdict(one) for one in found], indent=1))
        return
    made = Counter(one.mistake for one in found)
    seen = Counter(one.mistake for one in found if one.seen)
    for make in MISTAKES:
        name = make.__name__
        print(f"{seen[name]:5} / {made[name]:5}  {name.replace('_', ' ')}")


if __name__ == "__main__":
    main()
