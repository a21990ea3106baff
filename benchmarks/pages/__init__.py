"""Figures of the pages: each comes from a file in ``docs/results``, and ``python -m benchmarks.pages`` writes it.

A study writes its numbers there (``infosift study power --out docs/results``), and so do the benchmarks. A table
of a page that has the title of one of theirs is replaced by it, and so are the figures of claims. The tests hold
the pages to the files.
"""
