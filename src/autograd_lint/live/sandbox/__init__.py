"""Confines what runs of a program that nobody trusts: files, processes, network, time and memory.

Two walls, on Linux. Around all witnesses: namespaces (`namespaces`, or `bubblewrap`), in which only
what `view` shows is there. Around each: limits, no privileges, Landlock, a list of system calls
(`confine`). Only the standard library is used; a layer that the system lacks is named, and whoever
asked decides. What is promised stands in docs/security.md.
"""
