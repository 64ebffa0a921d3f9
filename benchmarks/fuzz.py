"""Programs and notebooks damaged at random: no crash, no hang, no fix that harms.

`python -m benchmarks.fuzz FOLDER [--count 5000] [--notebooks 500] [--seed 1]` mutates the short
programs below FOLDER. Every result is checked; every fix has to leave the lines outside of its
edits byte for byte as they were, and all fixes together have to leave a program that parses (of a
notebook: the same outputs and metadata). What goes wrong is printed and counted.
"""

import argparse
import ast
import json
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograd_lint.checking.pipeline import Checker
from autograd_lint.checking.troubles import too_new
from autograd_lint.configuration.pythons import NEWER_SYNTAX
from autograd_lint.configuration.selection import PARSE_ERROR
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes.applying import apply
from autograd_lint.fixes.mending import document_of
from autograd_lint.levels import Certainty
from autograd_lint.project import reading
from autograd_lint.project.modules import Project
from benchmarks.claims import time_limit

_SECONDS = 60
_LONGEST = 5_000  # characters of a program that is worth mutating
_PIECES = (
    "\t", "    ", ";", "\\\n", '"""', "'", "(", ")", "[", ":", "#", "\r\n", "\r", "\x0c", "\x00",
    "é", "日本", "\ufeff", "\u2028", "lambda: ", "async ", "await ", "yield ", "*", "**", ":=", "@",
    " += 1", ".mul_(2)", ".data", ".detach()", ".backward()", "[0]", "[...] = 0", "global x\n",
    "with torch.no_grad(): ", "if x: ", "for x in x: ", "return ", "  # noqa: AG103", "match x:\n",
)  # fmt: skip

Mutation = Callable[[random.Random, list[str]], list[str]]


def _dropped(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    return lines[:at] + lines[at + chance.randint(1, 3) :]


def _repeated(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    return [*lines[:at], *lines[at : at + chance.randint(1, 3)], *lines[at:]]


def _moved(chance: random.Random, lines: list[str]) -> list[str]:
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    rest = lines[:at] + lines[at + 1 :]
    return [*rest[:to], lines[at], *rest[to:]]


def _joined(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    return [*lines[:at], "; ".join(map(str.strip, lines[at : at + 2])), *lines[at + 2 :]]


def _indented(chance: random.Random, lines: list[str]) -> list[str]:
    at, unit = chance.randrange(len(lines)), chance.choice(("    ", "\t", " "))
    end = at + chance.randint(1, 5)
    return [*lines[:at], *(unit + line for line in lines[at:end]), *lines[end:]]


def _pieced(chance: random.Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    line, piece = lines[at], chance.choice(_PIECES)
    to = chance.randint(0, len(line))
    return [*lines[:at], line[:to] + piece + line[to:], *lines[at + 1 :]]


def _renamed(chance: random.Random, lines: list[str]) -> list[str]:
    names = re.findall(r"[A-Za-z_]\w*", "\n".join(lines))
    if len(names) < 2:
        return lines
    old, new = chance.choice(names), chance.choice(names)
    return [re.sub(rf"\b{old}\b", new, line) for line in lines]


def _cut(chance: random.Random, lines: list[str]) -> list[str]:
    return "\n".join(lines)[: chance.randrange(len("\n".join(lines)) + 1)].split("\n")


def _spread(chance: random.Random, lines: list[str]) -> list[str]:
    """Calls written over several lines, with comments in them."""
    at = chance.randrange(len(lines))
    changed = re.sub(r"\((?=.)", "(  # why\n        ", lines[at], count=1)
    return [*lines[:at], *changed.split("\n"), *lines[at + 1 :]]


MUTATIONS: tuple[Mutation, ...] = (
    _dropped, _repeated, _moved, _joined, _indented, _pieced, _pieced, _renamed, _cut, _spread,
)  # fmt: skip


def mutated(chance: random.Random, text: str) -> bytes:
    """A program with one to four random mutations, in one of several encodings and line ends."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 4)):
        lines = chance.choice(MUTATIONS)(chance, lines or [""])
    text = chance.choice(("\n", "\n", "\n", "\r\n", "\r")).join(lines)
    data = text.encode("utf-8", "replace")
    if chance.random() < 0.05:
        return b"\xef\xbb\xbf" + data
    if chance.random() < 0.05:
        return b"# coding: latin-1\n" + text.encode("latin-1", "replace")
    return data


def notebook(chance: random.Random, text: str) -> bytes:
    """A notebook of the program, cut into cells, and damaged."""
    lines, cells = text.split("\n"), []
    while lines:
        size = chance.randint(1, 8)
        source, lines = lines[:size], lines[size:]
        if chance.random() < 0.2:
            source.insert(0, chance.choice(("%matplotlib inline", "!ls", "%%time", "x = !ls")))
        joined = "\n".join(source)
        kind = chance.choice(("code", "code", "code", "markdown"))
        as_list = chance.random() < 0.7
        outputs = [{"output_type": "stream", "text": ["1.50\n"]}]
        value = joined.splitlines(keepends=True) if as_list else joined
        cells.append({"cell_type": kind, "metadata": {}, "outputs": outputs, "source": value})
    document: Any = {"cells": cells, "metadata": {"a": 1.0}, "nbformat": 4}
    for _ in range(chance.randint(0, 2)):
        _damage(chance, document)
    data = json.dumps(document, indent=chance.choice((None, 1, 2)), ensure_ascii=False).encode()
    if chance.random() < 0.3:
        at = chance.randrange(len(data))
        data = data[:at] + bytes([chance.randrange(256)]) + data[at + chance.randint(0, 2) :]
    return data[: chance.randrange(len(data))] if chance.random() < 0.1 else data


def _damage(chance: random.Random, document: Any) -> None:
    """Give one value of a JSON document another, or none."""
    held = document
    while isinstance(held, (dict, list)) and held:
        keys = list(held) if isinstance(held, dict) else range(len(held))
        key = chance.choice(keys)
        if not isinstance(held[key], (dict, list)) or not held[key] or chance.random() < 0.2:
            held[key] = chance.choice((None, 1, "x", [], {}, [1, None], ["a\n", "b"], True))
            return
        held = held[key]


@dataclass(frozen=True)
class Trial:
    """Checks one input, with everything that is found, and its fixes."""

    filename: str
    data: bytes
    tally: Counter[str]

    def complaint(self) -> str:
        """What is wrong; empty for nothing."""
        try:
            with time_limit(_SECONDS), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._complaint()
        except TimeoutError:
            return "no end"
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def _complaint(self) -> str:
        checker = Checker(Settings(certainty=Certainty.POSSIBLE), Project.alone())
        checked = checker.data(self.data, self.filename)
        if checked.trouble:
            return "" if self._may_be_newer(checked.trouble) else checked.trouble
        self.tally["parsed"] += not any(one.code == PARSE_ERROR for one in checked.findings)
        if not any(finding.fix for finding in checked.findings):
            return ""
        for finding in checked.findings:
            if finding.fix and not self._is_local(finding.fix.edits):
                return f"{finding.code}: the fix touches other lines"

        def recheck(data: bytes) -> Sequence[Finding]:
            return checker.data(data, self.filename).findings

        found = checked.findings
        self.tally["fixed"] += 1
        fixed = apply(self.data, self.filename, found, recheck, unsafe=True)
        return self._harm(fixed.data)

    def _may_be_newer(self, trouble: str) -> bool:
        """Whether a file is left to a newer Python: damage can look like that Python's syntax."""
        return trouble in (too_new(self.filename, python) for python in NEWER_SYNTAX)

    def _is_local(self, edits: Sequence[Edit]) -> bool:
        """Whether the lines before the first and behind the last edit stay, byte for byte."""
        document = document_of(self.data, self.filename)
        before = self.data.splitlines(keepends=True)
        after = document.edited(edits).encoded().splitlines(keepends=True)
        if self.filename.endswith(".ipynb"):
            return True  # `_harm` looks at the rest of a notebook
        first = min(edit.place.row for edit in edits) - 1
        last = max(edit.place.end_row for edit in edits)
        rows = _rows(self.data)
        if rows != len(before):
            return True  # a form feed or the like ends a line for `splitlines` alone
        tail = before[last:]
        return before[:first] == after[:first] and (not tail or after[-len(tail) :] == tail)

    def _harm(self, data: bytes) -> str:
        if not self.filename.endswith(".ipynb"):
            try:
                ast.parse(reading.decode(data, self.filename).text)
            except reading.UNREADABLE as error:
                return f"the fixed program does not parse: {error}"
            return ""
        before, after = (json.loads(each, parse_float=str) for each in (self.data, data))
        for document in (before, after):
            for cell in document["cells"]:
                if isinstance(cell, dict):
                    cell.pop("source", None)
        return "" if before == after else "the notebook is not what it was"


def _rows(data: bytes) -> int:
    text = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text.count(b"\n") + (not text.endswith(b"\n"))


def corpus(root: Path) -> list[str]:
    """The programs below a folder that are short and speak of torch."""
    texts = [path.read_text("utf-8", "replace") for path in sorted(root.rglob("*.py"))]
    return [text for text in texts if "torch" in text and len(text) <= _LONGEST]


def trials(texts: Sequence[str], count: int, notebooks: int, seed: int) -> list[Trial]:
    """So many damaged programs and notebooks."""
    chance = random.Random(seed)
    tally = Counter[str]()
    inputs = [("program.py", mutated(chance, chance.choice(texts))) for _ in range(count)]
    for _ in range(notebooks):
        inputs.append(("program.ipynb", notebook(chance, chance.choice(texts))))
    return [Trial(name, data, tally) for name, data in inputs]


def main() -> int:
    """Print what goes wrong; returns whether anything does."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--count", type=int, default=5000)
    arguments.add_argument("--notebooks", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    wrong = Counter[str]()
    made = trials(corpus(options.folder), options.count, options.notebooks, options.seed)
    for number, trial in enumerate(made):
        complaint = trial.complaint()
        if complaint:
            wrong[complaint.partition(":")[0]] += 1
            print(f"{trial.filename} {number}: {complaint}", flush=True)
    tally = made[0].tally if made else Counter()
    told = f"{tally['parsed']} of them parse, {tally['fixed']} have fixes"
    total = f"{options.count} programs, {options.notebooks} notebooks ({told})"
    print(f"{total}: {sum(wrong.values())} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
