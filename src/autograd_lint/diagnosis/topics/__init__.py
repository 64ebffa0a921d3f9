"""What messages of autograd are about: `registry.py` compares a text with all of them."""
