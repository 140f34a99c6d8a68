"""Bars in groups on a logarithmic axis, as SVG: a group for each column of a suite, a bar for each row. Legible on light
and on dark paper, which the reader's own setting chooses. Standard library only."""
import math
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP, PLOT, LEGEND_ROW = 860, 64, 16, 70, 300, 20
FONT = "font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\""
# Paint of a series on light and on dark paper. Ours are teals.
OURS = [("#0b7285", "#22b8cf"), ("#66c2d0", "#0c8599"), ("#99d8e0", "#0b5563"), ("#063f4a", "#99e9f2")]
OTHERS = [("#e8590c", "#ff922b"), ("#7048e8", "#9775fa"), ("#868e96", "#adb5bd"), ("#2f9e44", "#51cf66"),
          ("#c2255c", "#f06595"), ("#f0b400", "#ffe066"), ("#1c5fc2", "#74a9ff")]


def number(value):
    """Two digits that matter."""
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 1 - math.floor(math.log10(value)))}f}"


def paints(labels):
    ours, others = list(OURS), list(OTHERS)
    out = []
    for label in labels:
        kind, spare = (ours, OURS) if label.lower().startswith("steno") else (others, OTHERS)
        out.append(kind.pop(0) if kind else spare[-1])
    return out


def style(colours):
    light = [".paper{fill:#ffffff}", ".ink{fill:#1f2933}", ".muted{fill:#616e7c}", ".grid{stroke:#e4e7eb}"]
    dark = [".paper{fill:#0d1117}", ".ink{fill:#e6edf3}", ".muted{fill:#9da7b1}", ".grid{stroke:#2b323b}"]
    for i, (on_light, on_dark) in enumerate(colours):
        light.append(f".s{i}{{fill:{on_light}}}")
        dark.append(f".s{i}{{fill:{on_dark}}}")
    return f"<style>{''.join(light)}@media (prefers-color-scheme:dark){{{''.join(dark)}}}</style>"


def text(x, y, content, size=12, paint="ink", anchor="start", more=""):
    return (f'<text class="{paint}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{more}>'
            f"{escape(str(content))}</text>")


class Axis:
    """Decades from below the least value to above the greatest."""

    def __init__(self, values, top):
        self.low = math.floor(math.log10(min(values)) - 0.15)
        self.high = math.ceil(math.log10(max(values)) + 0.15)
        self.top = top

    def y(self, value):
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.top + PLOT * (1 - part)

    def decades(self):
        return [10.0 ** d for d in range(self.low, self.high + 1)]


def legend(labels):
    """The lines of the legend, filled from the left. Returns the SVG, without its place, and how many rows it has."""
    out, x, row = [], 0.0, 0
    for i, label in enumerate(labels):
        width = 34 + 7.2 * len(label)
        if x and x + width > WIDTH - LEFT - RIGHT:
            x, row = 0.0, row + 1
        out.append((i, label, x, row))
        x += width
    return out, row + 1


def grouped_bars(suite, columns):
    """The SVG of a suite with at least one value above zero."""
    rows = suite["rows"]
    labels = [row["label"] for row in rows]
    values = [v for row in rows for v in row["values"].values() if v is not None and v > 0]
    axis = Axis(values, TOP)
    entries, legend_rows = legend(labels)
    height = TOP + PLOT + 44 + legend_rows * LEGEND_ROW
    better = "lower is better" if suite.get("lower_is_better", True) else "higher is better"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" role="img" {FONT}>',
           f"<title>{escape(suite['title'])}, {escape(suite['unit'])}</title>", style(paints(labels)),
           f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
           text(20, 28, suite["title"], 16, more=' font-weight="600"'),
           text(20, 47, f"{suite['unit']} · {better} · logarithmic scale", 12, "muted")]
    for decade in axis.decades():
        y = axis.y(decade)
        out.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        out.append(text(LEFT - 8, y + 4, f"{decade:,.0f}" if decade >= 1 else f"{decade:g}", 11, "muted", "end"))
    group = (WIDTH - LEFT - RIGHT) / len(columns)
    bar = min(34.0, group * 0.84 / len(rows))
    for c, column in enumerate(columns):
        middle = LEFT + group * (c + 0.5)
        out.append(text(middle, TOP + PLOT + 20, column, 12, "ink", "middle"))
        for i, row in enumerate(rows):
            value = row["values"].get(column)
            if value is None or value <= 0:
                continue
            x, y = middle + bar * (i - len(rows) / 2), axis.y(value)
            out.append(f'<rect class="s{i}" x="{x + 1:.1f}" y="{y:.1f}" width="{bar - 2:.1f}" '
                       f'height="{TOP + PLOT - y:.1f}" rx="1.5"><title>{escape(row["label"])}: {number(value)}</title>'
                       "</rect>")
            turn = f' transform="rotate(-90 {x + bar / 2 + 3.5:.1f} {y - 5:.1f})"' if bar < 26 else ""
            at = (x + bar / 2 + 3.5, "start") if turn else (x + bar / 2, "middle")
            out.append(text(at[0], y - 5, number(value), 10, "ink", at[1], turn))
    for i, label, x, row in entries:
        y = TOP + PLOT + 44 + row * LEGEND_ROW
        out.append(f'<rect class="s{i}" x="{LEFT + x:.1f}" y="{y - 10:.1f}" width="12" height="12" rx="2"/>')
        out.append(text(LEFT + x + 17, y, label))
    out.append("</svg>")
    return "\n".join(out) + "\n"
