"""The figures of a report: displays as reproducible inline SVG, whose parts are linked to features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from infosift.display import plots, wording
from infosift.display.plots.canvas import require_matplotlib
from infosift.display.wording import capitalized, count, in_a_sentence, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from infosift.display.plots.canvas import Display
    from infosift.results import Selection, Stability, SubsetComparison

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
    """Return the figures for which the selection has numbers; the page has a caption for each kind."""
    require_matplotlib()
    if not selection.steps:
        return []
    links = Links(selection)
    drawn = [_path(selection, links)]
    if selection.survival is not None and selection.survival.curves:
        drawn.insert(0, _survival(selection))
    if selection.effects is not None:
        drawn.insert(0, _effects(selection))
    if selection.verdicts:
        drawn.append(_verdicts(selection, links))
    if selection.names and any(one.verdict == "redundant" for one in selection.verdicts):
        drawn.append(_redundancy(selection, links))
    if selection.neighbors is not None:
        drawn.append(_neighbors(selection))
    return drawn if selection.start else [*drawn, _ranking(selection, links)]


def _effects(selection: Selection) -> dict[str, Any]:
    display = plots.EffectsDisplay.from_selection(selection)
    shapes = [f"{in_a_sentence(name)} {wording.shape_in_words(selection, name)}" for name in display.features]
    title = f"What {'each feature does' if len(shapes) > 1 else 'it does'} to {wording.target_of(selection)}"
    return {**_figure("effects", title, f"Effects: {', '.join(shapes)}.", display), "is_wide": True}


def _survival(selection: Selection) -> dict[str, Any]:
    display = plots.SurvivalDisplay.from_selection(selection)
    alt = f"Survival curves by {', '.join(in_a_sentence(name) for name in display.features)}."
    title = f"{capitalized(wording.target_of(selection))}, by each selected feature"
    return {**_figure("survival", title, alt, display), "is_wide": True}


def _path(selection: Selection, links: Links) -> dict[str, Any]:
    display, last = plots.PathDisplay.from_selection(selection), selection.steps[-1]
    end = "" if last.accepted else f", {in_a_sentence(last.feature)} rejected"
    alt = f"The search in {count(len(selection.steps), 'step')}: {len(selection.accepted)} accepted{end}."
    figure = _figure("path", "The search, step by step", alt, display, links)
    return {**figure, "scale": _scale(display)}


def _verdicts(selection: Selection, links: Links) -> dict[str, Any]:
    display = plots.VerdictsDisplay.from_selection(selection)
    counts = [f"{display.verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(display.verdicts)]
    alt = f"P-values of features: {', '.join(counts)}."
    return _figure("verdicts", "The verdict on each feature", alt, display, links)


def _redundancy(selection: Selection, links: Links) -> dict[str, Any]:
    display = plots.RedundancyDisplay.from_selection(selection)
    alt = (
        f"Shares of the evidence for {count(len(display.names), 'redundant feature')} that went with each of "
        f"{count(len(display.explained_by), 'selected feature')}."
    )
    return _figure("redundancy", "What explains the redundant features", alt, display, links)


def _neighbors(selection: Selection) -> dict[str, Any]:
    display = plots.NeighborsDisplay.from_selection(selection)
    chosen = values_of(selection.criterion_parameter, (display.n_neighbors,))
    first, *_, last = display.candidates
    alt = f"{chosen} chosen by {in_a_sentence(display.feature)}, of {first} to {last}."
    return _figure("neighbors", f"The choice of the {display.parameter}", alt, display)


def _ranking(selection: Selection, links: Links) -> dict[str, Any]:
    display = plots.RankingDisplay.from_selection(selection)
    features = count(len(display.names), "feature")
    alt = f"Scores of {features} at the first step; {display.names[0]} has the highest."
    return _figure("ranking", "The first step", alt, display, links)


def comparison_figure(comparison: SubsetComparison) -> dict[str, Any]:
    """Return the figure of a model on several subsets."""
    means = ", ".join(f"{wording.name_of_subset(one.subset)} {one.mean:.3f}" for one in comparison.subsets)
    alt = f"{comparison.measure} of {comparison.model} by subset: {means}."
    title = f"{capitalized(comparison.measure)} in each fold"
    return _figure("comparison", title, alt, plots.ComparisonDisplay.from_comparison(comparison))


def stability_figure(stability: Stability, links: Links) -> dict[str, Any]:
    """Return the figure of selection frequencies over half-samples."""
    display = plots.StabilityDisplay.from_stability(stability)
    often = [f"{name} {stability.frequency(name):.2f}" for name in display.names[: wording.MOST_NAMES]]
    alt = f"Selection frequencies over {stability.n_resamples} half-samples: {', '.join(often) or 'none'}."
    return _figure("stability", "Selected on half-samples", alt, display, links)


def _figure(kind: str, title: str, alt: str, display: Display, links: Links | None = None) -> dict[str, Any]:
    """Draw a display as inline SVG, with the parts of it that are linked to features."""
    with _default_style(kind):
        svg, width, height = _svg(display, kind, alt)
        spots = [] if links is None else _spots(display, links)
    layout = {"svg": svg, "width": round(width), "is_wide": width > _WIDE * height, "spots": spots, "scale": ""}
    return {"kind": kind, "title": title, "alt": alt, **layout}


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
    display.plot_for_file()
    if isinstance(display, plots.NeighborsDisplay) and len(display.feature_names) > _MOST_LINES:
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
        spots.append((names, {"left": begin, "top": 1 - top, "width": end - begin, "height": top - bottom}))
    for place, names in display.rows.items():
        below, above = (to_picture((0, place + aside))[1] for aside in (0.5, -0.5))
        spots.append((names, {"left": left, "top": 1 - above, "width": right - left, "height": above - below}))
    return [
        {
            "label": names[0] if len(names) == 1 else "",
            "about": links.of(*names),
            **{side: f"{100 * share:.2f}" for side, share in sides.items()},
        }
        for names, sides in spots
    ]


def _with_names(ax: Axes, figure: Figure) -> tuple[float, float, float, float]:
    """Return the left, lower, right and upper end of axes with the names on them, as shares of a picture."""
    inside = ax.get_window_extent()
    left = min([inside.x0, *(label.get_window_extent().x0 for label in ax.get_yticklabels())])
    bottom = min([inside.y0, *(label.get_window_extent().y0 for label in ax.get_xticklabels())])
    (left, bottom), (right, top) = figure.transFigure.inverted().transform([(left, bottom), inside.max])
    return left, bottom, right, top


def _scale(display: Display) -> str:
    """Return the values at both ends of the vertical axis, each with its height in percent of the picture."""
    to_picture = (display.ax_.transData - _root_figure(display).transFigure).transform
    ends = ((end, 100 - 100 * to_picture((1, end))[1]) for end in display.ax_.get_ylim())
    return " ".join(f"{number:.6g}" for both in ends for number in both)
