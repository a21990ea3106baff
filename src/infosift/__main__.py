"""Run the command line as ``python -m infosift``."""

from infosift.cli import main

main()
