"""Programs in which something grows without bound before a real mistake: nothing hangs.

`python -m benchmarks.extremes [--count 2000] [--seed 1] [--seconds 10] [--megabytes 1000]` makes
programs of all kinds in `KINDS`, each of its largest size first, then of random sizes, and checks
each in a process of its own.
What takes more time or memory than that, or crashes, is printed and counted; so is how often the
mistake at the end was found, or the file told as too costly.
"""

import argparse
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.levels import Certainty
from autograd_lint.project.modules import Project

HEAD = "import copy\nimport functools\nimport itertools\nimport math\nimport re\nimport torch\n"
HEAD += "x = torch.ones(3, requires_grad=True)\n"
TAIL = "\nw = torch.ones(3, requires_grad=True)\nw.add_(1)\n"
_HANGING = 60  # seconds of computing after which a process is ended

Program = Callable[[int], str]


def _nested(before: str, inner: str, after: str) -> Program:
    return lambda size: f"v = {before * size}{inner}{after * size}\n"


def _repeated(line: str, first: str = "") -> Program:
    """Lines one after the other; `#` in them is their number."""
    return lambda size: first + "".join(line.replace("#", str(i)) + "\n" for i in range(size))


def _blocks(head: str, inner: str = "pass") -> Program:
    """Statements inside of each other."""

    def write(size: int) -> str:
        depth = min(size, 90)
        lines = [" " * i + head.replace("#", str(i)) for i in range(depth)]
        return "\n".join([*lines, " " * depth + inner, ""])

    return write


def _once(text: str) -> Program:
    """A text in which `#` is the size."""
    return lambda size: text.replace("#", str(size)) + "\n"


def _long(before: str, piece: str, after: str) -> Program:
    return lambda size: before + piece * (size * 100) + after + "\n"


def _cases(size: int) -> str:
    return "match x:\n" + "".join(f"    case {i}:\n        y = {i}\n" for i in range(size))


def _called(size: int) -> str:
    """Functions that call two others each."""
    texts = [f"def f{i}(a):\n    return f{i + 1}(f{i + 1}(a))\n" for i in range(size)]
    return "".join(texts) + f"def f{size}(a):\n    return a\ny = f0(x)\n"


def _layers(size: int) -> str:
    inner = "".join(f"        self.l{i} = torch.nn.Linear(3, 3)\n" for i in range(size))
    calls = "".join(f"        a = self.l{i}(a)\n" for i in range(size))
    start = "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    return f"{start}{inner}    def forward(self, a):\n{calls}        return a\ny = Net()(x)\n"


# Each with the largest size that is worth trying: beyond, files are too long to be read at all.
KINDS: dict[str, tuple[Program, int]] = {
    "pattern of nested repetitions": (_once("re.fullmatch('(a+)+$', 'a' * # + 'b')"), 9000),
    "pattern of choices": (_once("re.match('(a|a)*b' , 'a' * #)"), 9000),
    "pattern of many repetitions": (_once("re.search('a*' * 50 + 'b', 'a' * #)"), 9000),
    "pattern compiled": (_once("p = re.compile('(x*)*y')\np.match('x' * #)"), 9000),
    "pattern substituted": (_once("re.sub('(x+x+)+y', '', 'x' * #)"), 9000),
    "pattern of bounded repetitions": (_once("re.match('(a?){40}a{40}', 'a' * #)"), 9000),
    "comprehensions in each other": (_nested("[x for x in ", "[x]", "]"), 90),
    "elements of comprehensions": (_nested("[", "x", " for _ in range(16)]"), 60),
    "generators in each other": (_nested("list(x for x in ", "[x]", ")"), 90),
    "sets in each other": (_nested("{(x) for x in ", "[1]", "}"), 90),
    "dictionaries in each other": (_nested("{1: ", "x", "}"), 90),
    "many loops of one comprehension": (
        lambda size: "v = [x" + " for a in range(9)" * min(size, 40) + "]\n", 40,
    ),
    "lists in each other": (_nested("[", "x", "]"), 150),
    "brackets": (_nested("(", "x", ")"), 150),
    "calls in each other": (_nested("abs(", "x", ")"), 90),
    "attributes of attributes": (_nested("", "x", ".grad"), 900),
    "subscripts of subscripts": (_nested("", "x", "[0]"), 900),
    "sums": (_nested("", "x", " + x"), 2000),
    "strings of sums": (_nested("", "'a'", " + 'a'"), 2000),
    "conditions": (_nested("", "x", " if x else x"), 300),
    "comparisons": (_nested("", "1", " < 2"), 2000),
    "negations": (_nested("not ", "x", ""), 90),
    "powers": (_nested("9 ** ", "9", ""), 90),
    "powers of variables": (_repeated("p = p ** p", "p = 9\n"), 200),
    "products of variables": (_repeated("p = p * p", "p = 9\n"), 2000),
    "shifts": (_repeated("p = p << p", "p = 9\n"), 200),
    "factorials": (_once("math.factorial(# ** 3)"), 2000),
    "choices of many": (_once("math.comb(# ** 3, # ** 2)\nmath.perm(# ** 2)"), 2000),
    "texts doubled": (_repeated("t = t + t", "t = 'ab'\n"), 200),
    "texts doubled in place": (_repeated("t += t", "t = 'ab'\n"), 200),
    "texts formatted": (_repeated("t = f'{t}{t}'", "t = 'ab'\n"), 200),
    "texts by percent": (_repeated("t = '%s%s' % (t, t)", "t = 'ab'\n"), 200),
    "texts by format": (_repeated("t = '{0}{0}'.format(t)", "t = 'ab'\n"), 200),
    "texts joined": (_repeated("t = t.join([t, t])", "t = 'ab'\n"), 200),
    "texts replaced": (_repeated("t = t.replace('', t)", "t = 'ab'\n"), 200),
    "texts widened": (_once("t = '%#0000d' % 5\nt = f'{5:>#0000}'\nt = 'a'.ljust(#0000)"), 9000),
    "texts repeated": (_once("t = 'a' * # * # * # * #"), 9000),
    "lists doubled": (_repeated("a = a + a", "a = [x]\n"), 200),
    "lists doubled in place": (_repeated("a += a", "a = [x]\n"), 200),
    "lists extended": (_repeated("a.extend(a)", "a = [x]\n"), 200),
    "lists repeated": (_repeated("a = a * 9", "a = [x]\n"), 200),
    "lists of two of themselves": (_repeated("a = [a, a]", "a = x\n"), 200),
    "lists spread": (_repeated("a = [*a, *a]", "a = [x]\n"), 200),
    "lists in slices": (_repeated("a[0:0] = a", "a = [x]\n"), 200),
    "tuples doubled": (_repeated("a = a + a", "a = (x,)\n"), 200),
    "dictionaries spread": (_repeated("d = {**d, #: d}", "d = {}\n"), 400),
    "sets joined": (_repeated("s = s | {#}", "s = set()\n"), 400),
    "copies of trees": (_repeated("a = [copy.deepcopy(a), a]", "a = [x]\n"), 60),
    "arguments spread": (_repeated("a = f(*a, *a)", "def f(*a): return a\na = (x,)\n"), 100),
    "long ranges": (_once("v = list(range(10 ** #))\nfor i in range(10 ** #): pass"), 900),
    "products of iterables": (_once("v = list(itertools.product(range(#), repeat=9))"), 9000),
    "reductions": (_once("v = functools.reduce(lambda a, b: a + a, range(#), 'a')"), 9000),
    "elements of a tensor": (_once("v = torch.ones(# ** 3).split(1)"), 1000),
    "rows of a tensor": (
        _once("v = list(torch.ones(# ** 3))\nv = torch.ones(# ** 3).unbind()"),
        999,
    ),
    "chunks of a tensor": (_once("v = torch.ones(# ** 3).chunk(# ** 3)"), 1000),
    "sections of a tensor": (_once("v = torch.ones(# ** 3).tensor_split(# ** 3)"), 1000),
    "dimensions": (_once("v = torch.ones([1] * #).view([1] * #)"), 9000),
    "a tensor of a list": (_repeated("a = [a, a]", "a = [1]\n"), 200),
    "writes": (_repeated("y = x + #\ny.add_(1)"), 1500),
    "saves": (_repeated("y = torch.exp(y)", "y = x\n"), 1500),
    "backwards": (_repeated("torch.exp(x).sum().backward()"), 1000),
    "statements": (_repeated("a# = #"), 9000),
    "imports": (_repeated("import a#"), 4000),
    "functions": (_repeated("def f#(a):\n    return torch.exp(a).add_(1)"), 1500),
    "functions that call each other": (_called, 60),
    "bases": (_repeated("class C#(C#_):\n    pass\nC#_ = C#", "C0_ = object\n"), 600),
    "classes derived from each other": (
        lambda size: "class C0: pass\n"
        + "".join(f"class C{i + 1}(C{i}): pass\n" for i in range(size)),
        2500,
    ),
    "classes with many bases": (
        lambda size: "".join(f"class C{i}: pass\n" for i in range(size))
        + f"class D({', '.join(f'C{i}' for i in range(size))}): pass\nd = D()\n", 1500,
    ),
    "modules": (
        _repeated("class M#(torch.nn.Module):\n    def forward(self, a): return a.exp_()"),
        400,
    ),
    "layers": (_layers, 900),
    "layers in a row": (
        _once("m = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range(#)])"),
        9000,
    ),
    "decorators": (lambda size: "@torch.no_grad()\n" * size + "def f(): pass\nf()\n", 400),
    "cases": (_cases, 3000),
    "branches": (_repeated("if x.sum() > #:\n    y = x * 2"), 1500),
    "one branch of many": (
        lambda size: "if x.sum() > 0: pass\n"
        + "".join(f"elif x.sum() > {i}: pass\n" for i in range(min(size, 90))), 90,
    ),
    "branches in each other": (_blocks("if x.sum() > #:"), 90),
    "loops in each other": (_blocks("for i# in range(9):", "x * 2"), 19),
    "endless loops in each other": (_blocks("while True:", "x * 2"), 19),
    "attempts in each other": (lambda size: _blocks("with torch.no_grad():")(min(size, 18)), 18),
    "functions in each other": (_blocks("def f#(a=x):"), 90),
    "classes in each other": (_blocks("class C#:"), 90),
    "recursion": (_once("def f(n):\n    return f(n - 1) + f(n - 2)\ny = f(#)"), 9000),
    "recursion of two": (
        _once("def f(n):\n    return g(n)\ndef g(n):\n    return f(n) + f(n)\ny = f(#)"),
        99,
    ),
    "generators without end": (
        _once("def g():\n    while True:\n        yield x\nv = list(g())"),
        9,
    ),
    "a long line": (_long("v = [", "1, ", "]"), 9000),
    "a long sum": (_long("v = 1", " + 1", ""), 90),
    "a long text": (_long("v = '", "a", "'"), 9000),
    "a long name": (_long("", "v", " = 1"), 9000),
    "a long comment": (_long("v = 1  # ", "a", ""), 9000),
    "a long comment that silences": (_long("v = 1  # noqa: ", "AG101,", ""), 4000),
    "a long comment of blanks": (_long("v = 1  # noqa:", " ", "x"), 9000),
    "many comments that silence": (_repeated("a# = 1  # noqa: AG101"), 4000),
    "comments that ignore": (_long("# autograd-lint: ignore[", "AG101, ", "]"), 4000),
    "a long docstring": (_long('def f():\n    """', ">>> x\n    ", '"""'), 900),
    "continued lines": (lambda size: "v = 1 + \\\n" * size + "1\n", 900),
    "blank lines": (lambda size: "\n" * size * 100, 9000),
    "semicolons": (lambda size: "x; " * size + "\n", 9000),
    "globals": (_repeated("def f#():\n    global g\n    g = torch.exp(x)\nf#()"), 900),
    "lambdas in each other": (_nested("(lambda a: ", "x", ")(1)"), 80),
    "strings of strings": (_nested("(", "'a'", " * 9)"), 90),
    "assignments in a row": (
        lambda size: " = ".join(f"a{i}" for i in range(size)) + " = x\n",
        4000,
    ),
    "targets": (lambda size: ", ".join(f"a{i}" for i in range(size)) + " = x\n", 4000),
    "keywords": (lambda size: "dict(" + ", ".join(f"a{i}=x" for i in range(size)) + ")\n", 4000),
    "parameters": (
        lambda size: "def f(" + ", ".join(f"a{i}=x" for i in range(size)) + "): return a0\nf()\n",
        4000,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What became of one program."""

    seconds: float
    megabytes: float
    status: int
    said: str


def check(path: Path) -> Run:
    """Check a file in a child process, which is ended where it hangs."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (_HANGING, _HANGING))
        os.write(writing, _said(_checked(path)).encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        said = stream.read().decode()
    _, status, usage = os.wait4(child, 0)
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status, said)


def _checked(path: Path) -> Checked:
    return Checker(Settings(certainty=Certainty.POSSIBLE), Project.alone()).file(path)


def _said(checked: Checked) -> str:
    if checked.trouble:
        return "too costly" if "too costly" in checked.trouble else checked.trouble
    codes = {finding.code for finding in checked.findings}
    return "found" if "AG101" in codes else ",".join(sorted(codes)) or "nothing"


def main() -> int:
    """Print what goes wrong; returns whether anything does."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=10)
    arguments.add_argument("--megabytes", type=float, default=1000)
    arguments.add_argument("--any", action="store_true", help="any kinds, of any sizes")
    arguments.add_argument("--kind", help="programs of this kind alone")
    arguments.add_argument("--verbose", action="store_true", help="print every program")
    options = arguments.parse_args()
    chance = random.Random(options.seed)
    standard_machinery()
    wrong, told = 0, Counter[str]()
    slowest, largest = ("", 0.0), ("", 0.0)
    names = [options.kind] if options.kind else list(KINDS)
    with TemporaryDirectory() as folder:
        for number in range(options.count):
            name = chance.choice(names) if options.any else names[number % len(names)]
            write, most = KINDS[name]
            largest_first = number < len(names) and not options.any
            size = most if largest_first else max(1, int(most * chance.random() ** 2))
            path = Path(folder, "program.py")
            path.write_text(HEAD + write(size) + TAIL)
            run = check(path)
            told[run.said.partition(" ")[0] if run.said.startswith("too") else run.said[:30]] += 1
            slowest = max(slowest, (f"{name} {size}", run.seconds), key=lambda one: one[1])
            largest = max(largest, (f"{name} {size}", run.megabytes), key=lambda one: one[1])
            slow, large = run.seconds > options.seconds, run.megabytes > options.megabytes
            bad = run.status or "crash" in run.said or slow or large
            if options.verbose:
                print(f"{name} {size}: {run}", flush=True)
            wrong += bool(bad)
            if bad or run.seconds > options.seconds / 2:
                print(f"{'WRONG' if bad else 'slow'} {name} {size}: {run}", flush=True)
    print(f"{options.count} programs: {wrong} wrong; {dict(told)}")
    print(f"slowest: {slowest[0]}, {slowest[1]:.1f} s; largest: {largest[0]}, {largest[1]:.0f} MB")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
