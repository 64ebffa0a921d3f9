"""What a message of autograd means: its class, the usual causes, the rules that find them."""

from __future__ import annotations

from typing import Any

from autograd_lint.diagnosis.reading import read
from autograd_lint.diagnosis.topics.messages import topic_of_piece
from autograd_lint.diagnosis.topics.registry import LAST, topic_of
from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.rules.registry import by_code_or_name


def topic_of_message(text: str) -> Topic | None:
    """What a message, or a part of one, is about; None where it does not speak of autograd."""
    evidence = read(text)
    if evidence is not None:
        return evidence.topic
    found = topic_of(text)
    return topic_of_piece(text) if found is None or found[0] is LAST else found[0]


def page(topic: Topic) -> str:
    """The page of a class of messages in Markdown."""
    lines = [f"# {topic.name}", "", f"{_sentence(topic.said)}", "", "## Usual causes", ""]
    lines += [f"- {cause}" for cause in topic.causes]
    lines += ["", "## Rules that find them", ""]
    lines += [f"- {code} {name}: {summary}" for code, name, summary in _rules(topic)]
    lines += [
        "",
        "## Which line it is",
        "",
        "Give the whole error to `autograd-lint diagnose` (`--error FILE`, or standard input).",
    ]
    return "\n".join(lines) + "\n"


def record(topic: Topic) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "topic": topic.name,
        "error": topic.error.value,
        "means": topic.said,
        "causes": list(topic.causes),
        "rules": [code for code, _, _ in _rules(topic)],
    }


def _rules(topic: Topic) -> list[tuple[str, str, str]]:
    rules = (by_code_or_name(code) for code in topic.codes)
    return [(rule.code, rule.name, rule.summary()) for rule in rules if rule is not None]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text[:1].isalpha() else f"{text}."
