"""The gate: what is not even parsed."""


def mentions_torch(data: bytes) -> bool:
    """Whether a file has the word in it, without which it holds nothing for autograd."""
    return b"torch" in data
