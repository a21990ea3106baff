"""Run the command line, as ``infosift`` or ``python -m infosift``."""

from infosift.progress import end_at_once, ignore_from_here


def main() -> None:
    """Run the command line, with Ctrl-C handled from the first moment on."""
    end_at_once()
    from infosift.cli import run

    try:
        run()
    finally:
        ignore_from_here()


if __name__ == "__main__":
    main()
