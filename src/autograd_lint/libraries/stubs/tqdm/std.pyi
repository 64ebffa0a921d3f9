"""Source: tqdm/std.py. A bar gives what it is made of, and shows how far the loop is."""

class tqdm:
    def __init__(self, iterable=None, *args, **kwargs):
        self.iterable = iterable

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return len(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return False

    @classmethod
    def write(cls, s, *args, **kwargs):
        pass

    def update(self, n=1):
        pass

    def close(self):
        pass

    def clear(self, nolock=False):
        pass

    def refresh(self, *args, **kwargs):
        pass

    def reset(self, total=None):
        pass

    def set_description(self, desc=None, refresh=True):
        pass

    def set_description_str(self, desc=None, refresh=True):
        pass

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        pass

    def set_postfix_str(self, s="", refresh=True):
        pass

def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)
