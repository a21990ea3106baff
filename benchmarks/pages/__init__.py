"""Figures of the pages: each comes from a file in ``docs/results``, and ``python -m benchmarks.pages`` writes it.

A study writes its numbers there (``python -m studies power --out docs/results``), and so do the benchmarks. The
tests hold the pages to the files.
"""
