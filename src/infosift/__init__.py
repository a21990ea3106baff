"""Select the features of a table that together are most informative about a target, and say how sure that is."""

from typing import Any

import lazy_loader

from infosift.results import register_views

# Names are imported when they are first used, so that the command line starts without scikit-learn (SPEC 1 of
# Scientific Python). `__init__.pyi` lists them, for lazy_loader, type checkers and editors alike.
_public_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("infosift")
    return _public_name(name)


# Results lie below what shows them, so the functions that show them are named here; each is imported on first use.
register_views(
    {
        "plot": "infosift.display.plots:draw",
        "comparison_display": "infosift.display.plots:ComparisonDisplay.from_comparison",
        "sizes_display": "infosift.display.plots:SizesDisplay.from_comparison",
        "stability_display": "infosift.display.plots:StabilityDisplay.from_stability",
        "report": "infosift.display.report:write_report",
        "html": "infosift.display.report:as_html",
    }
)
