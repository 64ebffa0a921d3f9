"""Source: Lib/heapq.py. A heap is kept in order as a whole, of which its first element is one."""

def heappush(heap, item):
    heap.append(item)
    heap.sort()

def heappop(heap):
    return heap.pop(0)

def heapify(x):
    x.sort()

def heappushpop(heap, item):
    heappush(heap, item)
    return heappop(heap)

def heapreplace(heap, item):
    first = heappop(heap)
    heappush(heap, item)
    return first

def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]

def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]
