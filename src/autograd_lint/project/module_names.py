"""What modules are called by most authors, where nothing else tells whether something is one."""

import re

_NAMES = re.compile(
    r"(?:model|net|network|encoder|decoder|backbone|trunk|body|stem|neck|head|classifier|generator"
    r"|discriminator|critic|value|baseline|actor|policy|student|teacher|cell|rnn|lstm|gru|transformer|attention"
    r"|attn|embedder|embedding|projector|projection|proj|predictor|layer|block|mlp|unet|vae)_?\d*$"
)


def is_named_as_module(name: str) -> bool:
    """Whether a name, or the last of a chain of attributes, is one that modules have."""
    return _NAMES.search(name.rpartition(".")[2].lower()) is not None
