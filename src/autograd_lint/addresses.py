"""Where the project lives: its repository, its documentation, and the page of each rule.

`[project.urls]` of the package names the same addresses.
"""

REPOSITORY = "https://github.com/autograd-lint/autograd-lint"
DOCUMENTATION = "https://autograd-lint.github.io/autograd-lint/"


def of_rule(name: str) -> str:
    """The page of a rule, by its name."""
    return f"{DOCUMENTATION}rules/{name}/"
