"""Source: Lib/weakref.py. What is referred to is taken to live."""

class ref:
    def __init__(self, object, callback=None):
        self._object = object

    def __call__(self):
        return self._object

def proxy(object, callback=None):
    return object

class WeakKeyDictionary(dict): ...
class WeakValueDictionary(dict): ...
class WeakSet(list): ...
