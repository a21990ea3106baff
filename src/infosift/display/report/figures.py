"""The displays of a selection as pieces of a page: pictures of lines and text, in bytes that do not change."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree

from infosift.display.plots import (
    ComparisonDisplay,
    NeighborsDisplay,
    PathDisplay,
    RankingDisplay,
    RedundancyDisplay,
    StabilityDisplay,
    VerdictsDisplay,
)
from infosift.display.plots.canvas import require_matplotlib
from infosift.display.wording import count, in_a_sentence, name_of_measure, name_of_subset, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from infosift.display.plots.canvas import Display
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection
    from infosift.results.stability import Stability

# Above this number, lines are stored as dots of a picture, which takes less room than their coordinates.
_MOST_LINES = 60
_DOTS_PER_INCH = 150
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WIDE = 1.9
_MOST_NAMES = 12


def figures(selection: Selection) -> list[dict[str, object]]:
    """Return the figures that there is something to show in: each with its SVG and how to read it."""
    require_matplotlib()
    if not selection.steps:
        return []
    links = Links(selection)
    shown = [_path(selection, links)]
    if selection.verdicts:
        shown.append(_verdicts(selection, links))
    if selection.names and any(said.verdict == "redundant" for said in selection.verdicts):
        shown.append(_redundancy(selection, links))
    if selection.neighbors is not None:
        shown.append(_neighbors(selection))
    return shown if selection.start else [*shown, _ranking(selection, links)]


def _path(selection: Selection, links: Links) -> dict[str, object]:
    n_accepted = len(selection.accepted)
    reading = f"Each dot is a step: {_what_a_step_is(selection)}. The bar is its threshold. "
    display = PathDisplay.from_selection(selection)
    if display.in_nats:
        unit = f" in {selection.criterion_unit}" if selection.criterion_unit else ""
        reading += f"Both are {name_of_measure(selection)}{unit}; the threshold is that of shuffled copies."
    else:
        reading += "Both are in standard deviations above surrogates: copies of the features that add nothing."
    end = "" if selection.steps[-1].accepted else f", {in_a_sentence(selection.steps[-1].feature)} rejected"
    alt = f"The search in {count(len(selection.steps), 'step')}: {n_accepted} accepted{end}."
    figure = _figure("path", "The search, step by step", reading, alt, display, links)
    return {**figure, "scale": scale(display)}


def _what_a_step_is(selection: Selection) -> str:
    if selection.start:
        return "the least needed of the features left, conditional on the others"
    if not selection.conditional:
        return "a feature on its own, the surest first"
    return "the best of the remaining features, conditional on those selected before"


def _verdicts(selection: Selection, links: Links) -> dict[str, object]:
    display = VerdictsDisplay.from_selection(selection)
    reading = (
        "The further to the right, the smaller the p-value that the verdict rests on: that of its step where a "
        "feature was selected, and that of the feature alone for the others, both adjusted for the number of "
        "candidates. The thin line is the unadjusted p-value, as if the feature were the only candidate."
    )
    found = {verdict: display.verdicts.count(verdict) for verdict in display.verdicts}
    alt = f"P-values of features: {', '.join(f'{number} {verdict}' for verdict, number in found.items())}."
    return _figure("verdicts", "The verdict on each feature", reading, alt, display, links)


def _redundancy(selection: Selection, links: Links) -> dict[str, object]:
    display = RedundancyDisplay.from_selection(selection)
    reading = (
        "A row is a redundant feature, a column a selected one. The number is the share of the row's statistic at "
        "the first step, in percent, that was lost from the step at which the column was added to the next one: "
        "how much of the evidence for the row went with it. Below zero, it gained. A dot marks the selected "
        "features that are most informative about the row itself. Without a number, no statistic is stored, as "
        "after the last step."
    )
    alt = (
        f"Shares of the evidence for {count(len(display.names), 'redundant feature')} that went with each of "
        f"{count(len(display.explained_by), 'selected feature')}."
    )
    return _figure("redundancy", "What explains the redundant features", reading, alt, display, links)


def _neighbors(selection: Selection) -> dict[str, object]:
    display = NeighborsDisplay.from_selection(selection)
    reading = (
        f"Left: how well each {display.parameter} separates a feature from its shuffled copies; the one with "
        "the best separation is taken. Right: the two sets of estimates at that number."
    )
    alt = (
        f"{values_of(selection.criterion_parameter, (display.n_neighbors,))} chosen by "
        f"{in_a_sentence(display.feature)}, of "
        f"{display.candidates[0]} to {display.candidates[-1]}."
    )
    return _figure("neighbors", f"The choice of the {display.parameter}", reading, alt, display)


def _ranking(selection: Selection, links: Links) -> dict[str, object]:
    display = RankingDisplay.from_selection(selection)
    given = "conditional on those kept" if selection.settings.keep else "alone"
    reading = (
        f"Each feature {given}, before anything is selected. A long bar that is not selected is often redundant "
        "with a selected one."
    )
    alt = (
        f"Scores of {count(len(display.names), 'feature')} at the first step; {display.names[0]} has the highest."
    )
    return _figure("ranking", "The first step", reading, alt, display, links)


def comparison_figure(comparison: SubsetComparison) -> dict[str, object]:
    """Return the figure of a model on several subsets."""
    reading = "Each grey dot is a fold, and lines join the scores of a fold. Further to the right is better."
    means = ", ".join(f"{name_of_subset(one.subset)} {one.mean:.3f}" for one in comparison.subsets)
    alt = f"{comparison.measure} of {comparison.model} by subset: {means}."
    title = f"{comparison.measure[0].upper()}{comparison.measure[1:]} in each fold"
    return _figure("comparison", title, reading, alt, ComparisonDisplay.from_comparison(comparison))


def stability_figure(stability: Stability, links: Links) -> dict[str, object]:
    """Return the figure of how often features are selected over half-samples."""
    reading = (
        "The longer the bar, the more half-samples on which the feature is selected. The scale above is a bound: "
        "how many features, at most and on average, reach such a share by chance."
    )
    display = StabilityDisplay.from_stability(stability)
    often = [f"{name} {stability.frequency(name):.2f}" for name in display.names[:_MOST_NAMES]]
    alt = f"Selection frequencies over {stability.n_resamples} half-samples: {', '.join(often) or 'none'}."
    return _figure("stability", "Selected on half-samples", reading, alt, display, links)


def _figure(
    kind: str, title: str, reading: str, alt: str, display: Display, links: Links | None = None
) -> dict[str, object]:
    with _own_look(kind):
        drawn, width, height = _svg(display, kind, alt)
        linked = [] if links is None else spots(display, links)
    layout = {"svg": drawn, "width": round(width), "is_wide": width > _WIDE * height, "spots": linked, "scale": ""}
    return {"kind": kind, "title": title, "reading": reading, "alt": alt, **layout}


@contextmanager
def _own_look(salt: str) -> Iterator[None]:
    """Draw as matplotlib does unless told otherwise, whatever the look of other figures."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        # The browser has letters that matplotlib's font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": salt})
        yield


def _svg(display: Display, prefix: str, alt: str) -> tuple[str, float, float]:
    written = StringIO()
    display.plot()
    _flatten_many_lines(display)
    figure = display.ax_.get_figure(root=True)
    assert figure is not None
    figure.savefig(written, format="svg", metadata={"Date": None}, dpi=_DOTS_PER_INCH)
    root = ElementTree.fromstring(_NOT_IN_XML.sub("", written.getvalue()))
    _make_inline(root, prefix)
    width, height = (float(number) for number in root.attrib["viewBox"].split()[2:])
    root.attrib |= {"role": "img", "aria-label": alt}
    return ElementTree.tostring(root, encoding="unicode"), width, height


def _flatten_many_lines(display: Display) -> None:
    if isinstance(display, NeighborsDisplay) and len(display.feature_names) > _MOST_LINES:
        for line in display.panels_[0].lines:
            line.set_rasterized(line.get_linewidth() < 1)


def _make_inline(root: ElementTree.Element, prefix: str) -> None:
    """Drop what only a file of its own needs, and give all parts names that no other figure on the page has."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib.update({name: _renamed(name, value, prefix) for name, value in attributes.items()})
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)


def _renamed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name == "href" and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    return value.replace("url(#", f"url(#{prefix}-")


class Links:
    """Features by their places in the table, as the parts of a page name them."""

    def __init__(self, selection: Selection) -> None:
        own = {name: place for place, name in enumerate(selection.feature_names, start=1)}
        self._places = {step.feature: tuple(column + 1 for column in step.columns) for step in selection.steps}
        for group, members in selection.settings.feature_groups:
            self._places[group] = tuple(own[name] for name in members)
        self._places |= {name: (place,) for name, place in own.items()}

    def of(self, *names: str) -> str:
        """Return the places of features, of groups and of pairs that entered together, as one text."""
        return " ".join(str(place) for name in names for place in self._places[name])


def address_of(name: str) -> str:
    """Return where a page has all that there is to say about a feature."""
    return f"#feature={quote(name, safe='', errors='replace')}"


def spots(display: Display, links: Links) -> list[dict[str, Any]]:
    """Return where each line of a drawn display lies, in percent of the picture, and which features it is about.

    Columns come first, so that rows lie on top of them where they cross.
    """
    figure = display.ax_.get_figure(root=True)
    assert figure is not None
    to_picture = (display.ax_.transData - figure.transFigure).transform
    left, bottom, right, top = _with_names(display.ax_, figure)
    found = []
    for place, names in display.columns.items():
        begin, end = (to_picture((place + aside, 0))[0] for aside in (-0.5, 0.5))
        found.append(_spot(names, links, begin, end, bottom, top))
    for place, names in display.rows.items():
        below, above = (to_picture((0, place + aside))[1] for aside in (0.5, -0.5))
        found.append(_spot(names, links, left, right, below, above))
    return found


def _with_names(ax: Axes, figure: Figure) -> tuple[float, float, float, float]:
    """Return the left, lower, right and upper end of axes with the names on them, as shares of a picture."""
    inside = ax.get_window_extent()
    left = min([inside.x0, *(label.get_window_extent().x0 for label in ax.get_yticklabels())])
    bottom = min([inside.y0, *(label.get_window_extent().y0 for label in ax.get_xticklabels())])
    (left, bottom), (right, top) = figure.transFigure.inverted().transform([(left, bottom), inside.max])
    return left, bottom, right, top


def _spot(
    names: tuple[str, ...], links: Links, left: float, right: float, bottom: float, top: float
) -> dict[str, Any]:
    sides = {"left": left, "top": 1 - top, "width": right - left, "height": top - bottom}
    label = names[0] if len(names) == 1 else ""
    return {"label": label, "about": links.of(*names), **{side: f"{100 * at:.2f}" for side, at in sides.items()}}


def scale(display: Display) -> str:
    """Return two heights in percent of a drawn display, those of the ends of its axis, and the values there."""
    low, high = display.ax_.get_ylim()
    figure = display.ax_.get_figure(root=True)
    assert figure is not None
    to_picture = (display.ax_.transData - figure.transFigure).transform
    return " ".join(
        f"{number:.6g}" for end in (low, high) for number in (end, 100 - 100 * to_picture((1, end))[1])
    )
