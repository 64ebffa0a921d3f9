"""Source: `Fire` in fire/core.py: calls what it is given with what the command line says."""

def Fire(component=None, command=None, name=None, serialize=None):
    if component is not None:
        component()
