"""Programs as people write them, with choices: `<<a||b>>` is either, `<<a||>>` is a or nothing.

Each file of this folder is a template. A line that a choice leaves empty is dropped.
"""

import random
import re
from pathlib import Path

CHOICE = re.compile(r"<<((?:(?!<<|>>).)*)>>", re.S)


def scenario(dice: random.Random) -> str:
    """A random scenario with its choices made."""
    files = sorted(Path(__file__).parent.glob("*.txt"))
    text = files[dice.randrange(len(files))].read_text()
    return choose(text, dice)


def choose(text: str, dice: random.Random) -> str:
    """The text with every choice made; choices may be nested."""
    while CHOICE.search(text):
        text = CHOICE.sub(lambda found: _one(found[1], dice), text, count=1)
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line) + "\n"


def _one(options: str, dice: random.Random) -> str:
    parts = options.split("||")
    return parts[dice.randrange(len(parts))]
