"""Source: fastprogress/fastprogress.py. A bar gives what it is made of."""

class ProgressBar:
    def __init__(self, gen, *args, **kwargs):
        self.gen = gen
        self.comment = ""

    def __iter__(self):
        return iter(self.gen)

    def update(self, val):
        pass

class ConsoleProgressBar(ProgressBar): ...

class MasterBar(ProgressBar):
    def write(self, line, *args, **kwargs):
        pass

progress_bar = ProgressBar
master_bar = MasterBar
