"""Side-by-side runs against other packages: ``python -m benchmarks`` prints ratios."""
