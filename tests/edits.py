"""What somebody may do to a program that is checked anew after every edit."""

import re
from collections.abc import Callable
from random import Random

ADDED = (
    "# a remark",
    "pass",
    "x = None",
    "y = x * 2",
    "x += 1",
    "history.append(x)",
    "global SCALE",
    "SCALE = 4",
)
SWAPS = (
    ("+=", "-="),
    ("True", "False"),
    ("mean", "sum"),
    ("detach", "clone"),
    ("sigmoid", "exp"),
    ("h", "x"),
)
ENDS = ("  # a remark", ".detach()", " + 1", ")")
BASES = ("", "(nn.Module)", "(Base)", "(Block)", "(object)")

# Part of a program that trains.
TRAINING = """\
@registered
def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = 0
    for batch in batches:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        total += loss
    return total


def update(model):
    for parameter in model.parameters():
        parameter -= 0.1 * parameter.grad
"""


def edited(text: str, chance: Random) -> str:
    """The text after an edit at random; it may not parse then."""
    return chance.choice(KINDS)(text, chance)


def _removed(text: str, chance: Random) -> str:
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def _doubled(text: str, chance: Random) -> str:
    lines = text.split("\n")
    row = chance.randrange(len(lines))
    return "\n".join([*lines[:row], lines[row], *lines[row:]])


def _exchanged(text: str, chance: Random) -> str:
    lines = text.split("\n")
    row, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[row], lines[other] = lines[other], lines[row]
    return "\n".join(lines)


def _added(text: str, chance: Random) -> str:
    lines = text.split("\n")
    row = chance.randrange(len(lines))
    indent = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
    return "\n".join([*lines[:row], indent + chance.choice(ADDED), *lines[row:]])


def _reworded(text: str, chance: Random) -> str:
    lines = text.split("\n")
    row = chance.randrange(len(lines))
    lines[row] = lines[row].replace(*chance.choice(SWAPS))
    return "\n".join(lines)


def _lengthened(text: str, chance: Random) -> str:
    lines = text.split("\n")
    lines[chance.randrange(len(lines))] += chance.choice(ENDS)
    return "\n".join(lines)


def _without_block(text: str, chance: Random) -> str:
    """Without one of its classes or functions."""
    return _at_one(r"^( *)(?:def|class) .*\n(?:(?:\1 .*)?\n)*", lambda _: "", text, chance)


def _with_other_signature(text: str, chance: Random) -> str:
    more, fewer = r"\g<0>, extra=None", r"\g<1>"
    change = chance.choice((more, fewer))
    return _at_one(
        r"(def \w+\([^)\n]*?)(?:,[^,)\n]*)?(?=\))", lambda m: m.expand(change), text, chance
    )


def _with_other_base(text: str, chance: Random) -> str:
    base = chance.choice(BASES)
    return _at_one(r"(class \w+)(\([^)\n]*\))?", lambda m: m[1] + base, text, chance)


def _with_other_constant(text: str, chance: Random) -> str:
    value = chance.choice(("3", "[]", "None", "torch.ones(2)", "'text'"))
    return _at_one(r"^(\w+ = ).*$", lambda m: m[1] + value, text, chance)


def _with_other_import(text: str, chance: Random) -> str:
    change = chance.choice((lambda m: "", lambda m: m[0] + " as other", lambda m: m[0] + ", other"))
    return _at_one(r"^(?:from|import) .*$", change, text, chance)


def _renamed(text: str, chance: Random) -> str:
    """With another name for one of its words, everywhere or in one place."""
    words = sorted(set(re.findall(r"\b[A-Za-z_]\w{2,}\b", text)))
    if not words:
        return text
    word = rf"\b{chance.choice(words)}\b"
    if chance.random() < 0.5:
        return re.sub(word, lambda m: m[0] + "_", text)
    return _at_one(word, lambda m: m[0] + "_", text, chance)


def _at_one(pattern: str, change: Callable[[re.Match[str]], str], text: str, chance: Random) -> str:
    """The text with a change of one of the places that a pattern fits."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    if not found:
        return text
    match = chance.choice(found)
    return text[: match.start()] + change(match) + text[match.end() :]


KINDS: tuple[Callable[[str, Random], str], ...] = (
    _removed,
    _doubled,
    _exchanged,
    _added,
    _reworded,
    _lengthened,
    _without_block,
    _with_other_signature,
    _with_other_base,
    _with_other_constant,
    _with_other_import,
    _renamed,
)
