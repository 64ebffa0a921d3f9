"""What a user can mend, said in one line; and the end of what nobody waits for."""


class Interrupted(BaseException):
    """A program that was run has let a Ctrl-C pass, and has said so itself."""


def plain(text: str) -> str:
    """A text on one line: line ends, escapes and what is no character are spelt out.

    A name of a file or a key may hold what a terminal or a CI system would obey.
    """
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


class Trouble(Exception):
    """Wrong usage or a thing that cannot be read: one line that names it and the remedy."""

    def __str__(self) -> str:
        return plain(super().__str__())


class TooCostly(BaseException):
    """A piece of work that takes more time or memory than it may; nothing is to catch it but
    whoever set the limit."""


class Dropped(Exception):
    """An analysis whose result is not wanted any more."""
