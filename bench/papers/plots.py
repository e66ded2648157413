"""Draw the plots of the papers' experiments as small, reproducible SVG files. Needs matplotlib; quick runs do not."""

from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from bench.papers.frequencies import F64, Frequencies
from bench.papers.page import PLOTS
from bench.papers.runs import MOD, P, Tally

matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "fpdb", "font.size": 9}


def draw_ranks(curves: Mapping[str, Frequencies]) -> str:
    """Draw figure 4: frequency by rank, all data and cleaned, with the lines fitted to the latter. Return the link."""
    chart, axes = _figure("rank", "frequency")
    for number, (name, curve) in enumerate(curves.items()):
        for cleaned in (False, True):
            ranks, frequencies = _thin(*curve.points(cleaned=cleaned))
            label = f"{name}, {'cleaned' if cleaned else 'all'}"
            axes.plot(10**ranks, 10**frequencies, color=f"C{2 * number + cleaned}", linewidth=1, label=label)
        ranks, frequencies = curve.points(cleaned=True)
        slope, height = np.polyfit(ranks, frequencies, 1)
        ends = np.array([ranks[0], ranks[-1]])
        style = ("--", ":")[number]
        axes.plot(10**ends, 10 ** (slope * ends + height), f"k{style}", linewidth=0.8, label=f"slope {slope:.2f}")
    return _save(chart, axes, "winnowing-ranks.svg", "Frequency by rank")


def draw_runs(tallies: Mapping[str, Tally]) -> str:
    """Draw the distances of neighbouring fingerprints, beside those expected of 0 mod p. Return the link."""
    chart, axes = _figure("distance between fingerprints, at least", "share")
    for name, tally in tallies.items():
        lengths = np.flatnonzero(tally.lengths)
        share = tally.lengths[::-1].cumsum()[::-1][lengths] / tally.lengths.sum()
        x, y = _thin(np.log10(lengths + 1.0), np.log10(share))
        axes.plot(10**x, 10**y, linewidth=1, label=name)
    lengths = np.arange(1, 701)
    axes.plot(lengths + 1, (1 - 1 / P) ** lengths, "k--", linewidth=0.7, label=f"{MOD}, expected")
    return _save(chart, axes, "winnowing-runs.svg", "Runs with no fingerprint")


def _figure(x: str, y: str) -> tuple[Figure, Any]:
    """Return a figure and its log-log axes."""
    chart = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = chart.subplots()
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    axes.grid(visible=True, linewidth=0.3)
    return chart, axes


def _thin(x: F64, y: F64, step: float = 0.01) -> tuple[F64, F64]:
    """Return a curve's points, as logarithms, without those that are indistinguishably close to the one before."""
    cells = np.stack([np.round(x / step), np.round(y / step)])
    kept = np.append(True, np.any(cells[:, 1:] != cells[:, :-1], axis=0))
    return x[kept], y[kept]


def _save(chart: Figure, axes: Any, name: str, title: str) -> str:
    axes.legend()
    PLOTS.mkdir(exist_ok=True)
    chart.savefig(PLOTS / name, metadata={"Date": None})
    return f"![{title}]({PLOTS.name}/{name})\n"
