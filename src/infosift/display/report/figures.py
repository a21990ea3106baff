"""The figures of a report: displays as reproducible inline SVG, whose parts are linked to features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from infosift.display import wording
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
from infosift.display.wording import capitalized, count, in_a_sentence, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from infosift.display.plots.canvas import Display
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection
    from infosift.results.stability import Stability

# Above this number, lines are stored as dots of a picture, which takes fewer bytes than their coordinates.
_MOST_LINES = 60
_DOTS_PER_INCH = 150
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A figure more than so many times wider than high has the width of the page.
_WIDE = 1.9


class Links:
    """The features of a selection by their positions in the table, as the parts of a page name them."""

    def __init__(self, selection: Selection) -> None:
        positions = {name: position for position, name in enumerate(selection.feature_names, start=1)}
        self._selected = set(selection.names)
        self._positions = {step.feature: tuple(column + 1 for column in step.columns) for step in selection.steps}
        for group, members in selection.settings.feature_groups:
            self._positions[group] = tuple(positions[name] for name in members)
        self._positions |= {name: (position,) for name, position in positions.items()}

    def of(self, *names: str) -> str:
        """Return the positions of features, of groups and of pairs that entered together, as one text."""
        return " ".join(str(position) for name in names for position in self._positions[name])

    def row(self, name: str) -> dict[str, Any]:
        """Return what each table of features has: the name, its link and whether it is selected on all rows."""
        return {"feature": name, "about": self.of(name), "is_selected": name in self._selected}


def figures(selection: Selection) -> list[dict[str, Any]]:
    """Return the figures for which the selection has numbers: each with its SVG and how to read it."""
    require_matplotlib()
    if not selection.steps:
        return []
    links = Links(selection)
    drawn = [_path(selection, links)]
    if selection.verdicts:
        drawn.append(_verdicts(selection, links))
    if selection.names and any(one.verdict == "redundant" for one in selection.verdicts):
        drawn.append(_redundancy(selection, links))
    if selection.neighbors is not None:
        drawn.append(_neighbors(selection))
    return drawn if selection.start else [*drawn, _ranking(selection, links)]


def _path(selection: Selection, links: Links) -> dict[str, Any]:
    display, last = PathDisplay.from_selection(selection), selection.steps[-1]
    if selection.start:
        step = "the least needed of the features left, conditional on the others"
    elif selection.conditional:
        step = "the best of the remaining features, conditional on those selected before"
    else:
        step = "a feature on its own, the surest first"
    scale = "are in standard deviations above surrogates: artificial versions of the features that add nothing"
    if display.in_nats:
        unit = f" in {selection.criterion_unit}" if selection.criterion_unit else ""
        scale = f"are {wording.name_of_measure(selection)}{unit}; the threshold is that of shuffled surrogates"
    reading = f"Each dot is a step: {step}. The bar is its threshold. Both {scale}."
    end = "" if last.accepted else f", {in_a_sentence(last.feature)} rejected"
    alt = f"The search in {count(len(selection.steps), 'step')}: {len(selection.accepted)} accepted{end}."
    figure = _figure("path", "The search, step by step", reading, alt, display, links)
    return {**figure, "scale": _scale(display)}


def _verdicts(selection: Selection, links: Links) -> dict[str, Any]:
    display = VerdictsDisplay.from_selection(selection)
    reading = (
        "The further to the right, the smaller the p-value that the verdict rests on: that of its step where a "
        "feature was selected, and that of the feature alone for the others, both adjusted for the number of "
        "candidates. The thin line is the unadjusted p-value, as if the feature were the only candidate."
    )
    counts = [f"{display.verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(display.verdicts)]
    alt = f"P-values of features: {', '.join(counts)}."
    return _figure("verdicts", "The verdict on each feature", reading, alt, display, links)


def _redundancy(selection: Selection, links: Links) -> dict[str, Any]:
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


def _neighbors(selection: Selection) -> dict[str, Any]:
    display = NeighborsDisplay.from_selection(selection)
    reading = (
        f"Left: how well each {display.parameter} separates a feature from its shuffled surrogates; the one with "
        "the best separation is taken. Right: the two sets of estimates at that number."
    )
    chosen = values_of(selection.criterion_parameter, (display.n_neighbors,))
    first, *_, last = display.candidates
    alt = f"{chosen} chosen by {in_a_sentence(display.feature)}, of {first} to {last}."
    return _figure("neighbors", f"The choice of the {display.parameter}", reading, alt, display)


def _ranking(selection: Selection, links: Links) -> dict[str, Any]:
    display = RankingDisplay.from_selection(selection)
    given = "conditional on those kept" if selection.settings.keep else "alone"
    reading = (
        f"Each feature {given}, before anything is selected. A long bar that is not selected is often redundant "
        "with a selected one."
    )
    features = count(len(display.names), "feature")
    alt = f"Scores of {features} at the first step; {display.names[0]} has the highest."
    return _figure("ranking", "The first step", reading, alt, display, links)


def comparison_figure(comparison: SubsetComparison) -> dict[str, Any]:
    """Return the figure of a model on several subsets."""
    reading = "Each grey dot is a fold, and lines join the scores of a fold. Further to the right is better."
    means = ", ".join(f"{wording.name_of_subset(one.subset)} {one.mean:.3f}" for one in comparison.subsets)
    alt = f"{comparison.measure} of {comparison.model} by subset: {means}."
    title = f"{capitalized(comparison.measure)} in each fold"
    return _figure("comparison", title, reading, alt, ComparisonDisplay.from_comparison(comparison))


def stability_figure(stability: Stability, links: Links) -> dict[str, Any]:
    """Return the figure of selection frequencies over half-samples."""
    reading = (
        "The longer the bar, the more half-samples on which the feature is selected. The scale above is a bound: "
        "how many features, at most and on average, reach such a share by chance."
    )
    display = StabilityDisplay.from_stability(stability)
    often = [f"{name} {stability.frequency(name):.2f}" for name in display.names[: wording.MOST_NAMES]]
    alt = f"Selection frequencies over {stability.n_resamples} half-samples: {', '.join(often) or 'none'}."
    return _figure("stability", "Selected on half-samples", reading, alt, display, links)


def _figure(
    kind: str, title: str, reading: str, alt: str, display: Display, links: Links | None = None
) -> dict[str, Any]:
    with _default_style(kind):
        svg, width, height = _svg(display, kind, alt)
        spots = [] if links is None else _spots(display, links)
    layout = {"svg": svg, "width": round(width), "is_wide": width > _WIDE * height, "spots": spots, "scale": ""}
    return {"kind": kind, "title": title, "reading": reading, "alt": alt, **layout}


@contextmanager
def _default_style(salt: str) -> Iterator[None]:
    """Draw in matplotlib's default style, whatever the user has set, with ids that depend on a salt alone."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        # The browser has letters that matplotlib's font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": salt})
        yield


def _svg(display: Display, prefix: str, alt: str) -> tuple[str, float, float]:
    """Draw a display as SVG to be put into a page, and return it with its width and height."""
    written = StringIO()
    display.plot()
    if isinstance(display, NeighborsDisplay) and len(display.feature_names) > _MOST_LINES:
        for line in display.panels_[0].lines:
            line.set_rasterized(line.get_linewidth() < 1)
    _root_figure(display).savefig(written, format="svg", metadata={"Date": None}, dpi=_DOTS_PER_INCH)
    root = ElementTree.fromstring(_NOT_IN_XML.sub("", written.getvalue()))
    _make_inline(root, prefix)
    width, height = (float(number) for number in root.attrib["viewBox"].split()[2:])
    root.attrib |= {"role": "img", "aria-label": alt}
    return ElementTree.tostring(root, encoding="unicode"), width, height


def _root_figure(display: Display) -> Figure:
    figure = display.ax_.get_figure(root=True)
    assert figure is not None
    return figure


def _make_inline(root: ElementTree.Element, prefix: str) -> None:
    """Drop what only a file of its own needs, and prefix all ids so that no other figure on the page has them."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib.update({name: _prefixed(name, value, prefix) for name, value in attributes.items()})
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)


def _prefixed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name == "href" and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    return value.replace("url(#", f"url(#{prefix}-")


def _spots(display: Display, links: Links) -> list[dict[str, Any]]:
    """Return where each row and column of a drawn display lies, in percent of the picture, with its features.

    Columns come first, so that rows lie on top of them where they cross.
    """
    to_picture = (display.ax_.transData - _root_figure(display).transFigure).transform
    left, bottom, right, top = _with_names(display.ax_, _root_figure(display))
    spots = []
    for place, names in display.columns.items():
        begin, end = (to_picture((place + aside, 0))[0] for aside in (-0.5, 0.5))
        spots.append((names, begin, end, bottom, top))
    for place, names in display.rows.items():
        below, above = (to_picture((0, place + aside))[1] for aside in (0.5, -0.5))
        spots.append((names, left, right, below, above))
    return [_spot(links, *spot) for spot in spots]


def _with_names(ax: Axes, figure: Figure) -> tuple[float, float, float, float]:
    """Return the left, lower, right and upper end of axes with the names on them, as shares of a picture."""
    inside = ax.get_window_extent()
    left = min([inside.x0, *(label.get_window_extent().x0 for label in ax.get_yticklabels())])
    bottom = min([inside.y0, *(label.get_window_extent().y0 for label in ax.get_xticklabels())])
    (left, bottom), (right, top) = figure.transFigure.inverted().transform([(left, bottom), inside.max])
    return left, bottom, right, top


def _spot(
    links: Links, names: tuple[str, ...], left: float, right: float, bottom: float, top: float
) -> dict[str, Any]:
    sides = {"left": left, "top": 1 - top, "width": right - left, "height": top - bottom}
    label = names[0] if len(names) == 1 else ""
    return {"label": label, "about": links.of(*names), **{side: f"{100 * at:.2f}" for side, at in sides.items()}}


def _scale(display: Display) -> str:
    """Return the values at both ends of the vertical axis, each with its height in percent of the picture."""
    to_picture = (display.ax_.transData - _root_figure(display).transFigure).transform
    ends = ((end, 100 - 100 * to_picture((1, end))[1]) for end in display.ax_.get_ylim())
    return " ".join(f"{number:.6g}" for both in ends for number in both)
