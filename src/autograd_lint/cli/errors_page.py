"""The page that leads from what PyTorch prints to the rules that find it before.

Which rules answer to a message is what `diagnose` says.
"""

from autograd_lint.diagnosis.topics.messages import MESSAGES
from autograd_lint.diagnosis.topics.registry import TOPICS
from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.rules.registry import by_code_or_name

PAGE = "errors.md"
_FIRST_IN_THE_SEARCH = ("---", "search:", "  boost: 8", "---", "")


def topic_of(message: str) -> Topic:
    """What a message is about."""
    return next(topic for topic in TOPICS if topic.search(message))


def page() -> str:
    """The messages with what they mean, and the rules that explain them, in Markdown."""
    lines = [
        *_FIRST_IN_THE_SEARCH,
        "# Error messages of PyTorch",
        "",
        "Search this page for the message you see, or pass it to `autograd-lint diagnose`, which",
        "finds the lines of your program that explain it ([diagnose](diagnose.md)).",
    ]
    for message in MESSAGES:
        topic = topic_of(message)
        said = f"{topic.said[0].upper()}{topic.said[1:]}."
        lines += ["", f"## {message}", "", said, "", "Rules that report the causes:", ""]
        lines += [f"- {_link(code)}" for code in topic.codes]
    return "\n".join(lines) + "\n"


def _link(code: str) -> str:
    rule = by_code_or_name(code)
    if rule is None:
        return code
    return f"[{code} {rule.name}](rules/{rule.name}.md): {rule.summary()}"
