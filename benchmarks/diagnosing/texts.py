"""Damaged texts of errors, as they arrive from terminals and forums: cut, wrapped, mixed up."""

from __future__ import annotations

import random


def mutated(text: str, chance: random.Random) -> str:
    """A text as it may arrive: cut, wrapped, prefixed, mixed up."""
    for _ in range(chance.randint(1, 3)):
        text = chance.choice(_MUTATIONS)(text, chance)
    return text


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[at:] if chance.random() < 0.5 else text[:at]


def _wrapped(text: str, chance: random.Random) -> str:
    width = chance.randint(20, 120)
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def _prefixed(text: str, chance: random.Random) -> str:
    prefix = chance.choice(("[rank0]: ", "2026-01-01 00:00:00,1 - ERROR - ", "> ", "\t", "0: "))
    return "\n".join(prefix + line for line in text.splitlines())


def _dropped(text: str, chance: random.Random) -> str:
    return "\n".join(line for line in text.splitlines() if chance.random() < 0.7)


def _shuffled(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    chance.shuffle(lines)
    return "\n".join(lines)


def _scrambled(text: str, chance: random.Random) -> str:
    letters = list(text)
    for _ in range(chance.randint(1, 20) if letters else 0):
        letters[chance.randrange(len(letters))] = chr(
            chance.choice((0, 9, 10, 27, 34, 92, 0x1F4A5))
        )
    return "".join(letters)


def _doubled(text: str, chance: random.Random) -> str:
    return text + "\nDuring handling of the above exception, another exception occurred:\n" + text


def _joined(text: str, chance: random.Random) -> str:
    return " ".join(text.split())


_MUTATIONS = (_cut, _wrapped, _prefixed, _dropped, _shuffled, _scrambled, _doubled, _joined)
