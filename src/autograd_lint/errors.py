"""What a user can mend, said in one line."""


class Trouble(Exception):
    """Wrong usage or a thing that cannot be read: one line that names it and the remedy."""
