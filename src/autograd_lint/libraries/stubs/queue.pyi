"""Source: Lib/queue.py. What several threads do with a queue is run in turn, so that none waits."""

class Queue:
    def __init__(self, maxsize=0):
        self.queue = []

    def put(self, item, block=True, timeout=None):
        self.queue.append(item)

    def put_nowait(self, item):
        self.queue.append(item)

    def get(self, block=True, timeout=None):
        return self.queue.pop(0)

    def get_nowait(self):
        return self.queue.pop(0)

    def empty(self):
        return not self.queue

    def qsize(self):
        return len(self.queue)

    def task_done(self):
        pass

    def join(self):
        pass

class SimpleQueue(Queue): ...

class LifoQueue(Queue):
    def get(self, block=True, timeout=None):
        return self.queue.pop()

    def get_nowait(self):
        return self.queue.pop()

class PriorityQueue(Queue):
    def put(self, item, block=True, timeout=None):
        self.queue.append(item)
        self.queue.sort()

    def put_nowait(self, item):
        self.queue.append(item)
        self.queue.sort()
