// The time line: records by step, levels stacked with the worst at the bottom, marks above, matches of the search below.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Mark, Timeline } from './api';
import { Canvas, type Colours, fontSize, useWidth } from './canvas';
import { cut } from './lines';
import { formatCount, formatShort, niceTicks } from './scale';
import { clamp, formatClock, formatDuration, formatTime, fractionOf, parseNs, type Range, timeAt, timeTicks, zoom } from './time';

const MARKS = 16; // pixels of the lane of marks
const MATCHES = 6;

// Signs that differ in form, not in colour alone.
const SIGNS: Record<string, string> = {
  start: '▶', end: '■', death: '✖', rotation: '↻', drop: '▼', damage: '⚠', level: '⇅',
};
const MARK_NAMES: Record<string, string> = {
  start: 'process started', end: 'process ended', death: 'process died', rotation: 'file rotated', drop: 'records dropped',
  damage: 'damaged', level: 'level changed',
};

const WORST = ['death', 'damage', 'drop', 'level', 'rotation', 'start', 'end'];
const SIGN_WIDTH = 14;

// Marks that would cover each other become one, with the sign of the worst of them, which is the first of its group.
export function groupMarks(marks: Mark[], view: Range, width: number): Mark[][] {
  const groups = new Map<number, Mark[]>();
  for (const mark of marks) {
    const time = parseNs(mark.time);
    if (time == null || time < view.from || time > view.to) continue;
    const cell = Math.floor((fractionOf(view, time) * width) / SIGN_WIDTH);
    groups.set(cell, [...(groups.get(cell) ?? []), mark]);
  }
  const rank = (mark: Mark) => (WORST.includes(mark.kind) ? WORST.indexOf(mark.kind) : WORST.length);
  return [...groups.values()].map((group) => group.sort((a, b) => rank(a) - rank(b)));
}

export function markText(mark: Mark): string {
  return `${formatTime(parseNs(mark.time) ?? 0n, 3)} ${MARK_NAMES[mark.kind] ?? mark.kind}: ${mark.text}`;
}

const BAD = new Set(['WARN', 'ERROR', 'CRITICAL']);

// Heights of one bin's levels, worst first. Warnings and errors have at least two pixels, however many records there are.
export function stack(counts: number[], levels: string[], pixels: number, most: number): { level: string; height: number }[] {
  const parts: { level: string; height: number }[] = [];
  let room = pixels;
  for (let i = levels.length - 1; i >= 0; i--) {
    if (!(counts[i] > 0)) continue;
    const height = Math.min(room, Math.max((counts[i] / most) * pixels, BAD.has(levels[i]) ? 2 : 0.75));
    parts.push({ level: levels[i], height });
    room -= height;
  }
  return parts;
}

type Props = {
  data: Timeline | null;
  view: Range;
  whole: Range;
  selection: Range | null;
  before: Range | null; // drawn if there is one
  loading: boolean;
  onView: (view: Range | null) => void;
  onSelect: (selection: Range | null) => void;
  height: number;
};

export function TimeLine(props: Props) {
  const { data, view, whole, selection, before, onView, onSelect, height } = props;
  const { ref, width } = useWidth<HTMLDivElement>(1000);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const [pointer, setPointer] = useState<{ x: number; y: number } | null>(null);
  const latest = useRef({ view, whole, onView });
  latest.current = { view, whole, onView };

  const plot = height - MARKS - Math.round(fontSize() * 1.4);
  const top = MARKS;
  const levels = data?.levels ?? [];
  const most = Math.max(1, ...(data?.counts ?? []).map((c) => c.reduce((a, b) => a + b, 0)));

  // Bins keep their own times: while a new answer is on its way, the old one is drawn where it belongs.
  const at = useCallback((ns: bigint) => fractionOf(view, ns) * width, [view, width]);

  const draw = useCallback(
    (c: CanvasRenderingContext2D, w: number, h: number, colours: Colours) => {
      c.clearRect(0, 0, w, h);
      const bottom = top + plot;
      for (const tick of niceTicks(most, 3)) {
        const y = bottom - (tick / most) * (plot - 4);
        c.fillStyle = colours.line;
        c.fillRect(0, Math.round(y), w, 1);
      }
      if (data) {
        const from = parseNs(data.from) ?? 0n;
        const step = parseNs(data.step) ?? 1n;
        const pixels = (Number(step) / Number(view.to - view.from || 1n)) * w;
        const start = at(from);
        data.counts.forEach((counts, i) => {
          const x = start + i * pixels;
          if (x + pixels < 0 || x > w) return;
          let y = bottom;
          for (const part of stack(counts, levels, plot - 4, most)) {
            y -= part.height;
            c.fillStyle = colours.levels[part.level] || colours.dim;
            c.fillRect(x, y, Math.max(1, pixels - (pixels > 3 ? 1 : 0)), part.height);
          }
          if (data.matches?.[i]) {
            c.fillStyle = colours.mark;
            c.fillRect(x, bottom + 1, Math.max(2, pixels - 1), MATCHES - 2);
          }
        });
      }
      c.fillStyle = colours.dim;
      c.textBaseline = 'bottom';
      for (const tick of niceTicks(most, 3)) {
        // None beside the marks.
        if (!data || tick <= 0 || !Number.isInteger(tick) || (1 - tick / most) * (plot - 4) < 10) continue;
        // Readable over bars: the text has a rim.
        c.strokeStyle = colours.panel;
        c.lineWidth = 3;
        const y = bottom - (tick / most) * (plot - 4) - 1;
        c.strokeText(formatShort(tick), 4, y);
        c.fillStyle = colours.text;
        c.fillText(formatShort(tick), 4, y);
      }
      c.fillStyle = colours.line;
      c.fillRect(0, bottom, w, 1);
      c.textBaseline = 'top';
      c.textAlign = 'center';
      for (const tick of timeTicks(view, Math.max(2, Math.floor(w / 90)))) {
        const x = at(tick.at);
        c.fillStyle = colours.line;
        c.fillRect(x, bottom, 1, 5);
        c.fillStyle = colours.dim;
        const half = c.measureText(tick.text).width / 2;
        if (x > half && x < w - half) c.fillText(tick.text, x, bottom + 6);
      }
      c.textAlign = 'left';
      const shade = (range: Range, colour: string, alpha: number) => {
        c.globalAlpha = alpha;
        c.fillStyle = colour;
        c.fillRect(at(range.from), top, Math.max(1, at(range.to) - at(range.from)), plot);
        c.globalAlpha = 1;
      };
      if (selection) {
        c.globalAlpha = 0.55;
        c.fillStyle = colours.panel;
        c.fillRect(0, top, Math.max(0, at(selection.from)), plot);
        c.fillRect(at(selection.to), top, Math.max(0, w - at(selection.to)), plot);
        c.globalAlpha = 1;
        c.fillStyle = colours.accent;
        c.fillRect(at(selection.from) - 1, top, 2, plot);
        c.fillRect(at(selection.to) - 1, top, 2, plot);
      }
      if (before) {
        shade(before, colours.dim, 0.18);
        c.fillStyle = colours.dim;
        c.fillText('before', Math.max(2, at(before.from) + 3), top + 2);
      }
    },
    [data, view, selection, before, width, height],
  );

  // Position of an event as a part of the width.
  const fraction = (event: { clientX: number }) => {
    const box = ref.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };

  useEffect(() => {
    // Not by an attribute: such listeners are passive, and the page would scroll.
    const element = ref.current!;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { view, whole, onView } = latest.current;
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (sideways) {
        const by = ((view.to - view.from) * BigInt(Math.round(event.deltaX || event.deltaY))) / 1000n;
        onView(clamp({ from: view.from + by, to: view.to + by }, whole));
      } else {
        onView(zoom(view, fraction(event), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), whole));
      }
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const f = fraction(event);
    setDrag({ from: f, to: f });
  };
  const move = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    setPointer({ x: event.clientX - box.left, y: event.clientY - box.top });
    if (drag) setDrag({ ...drag, to: fraction(event) });
  };
  const up = (event: PointerEvent) => {
    if (!drag) return;
    setDrag(null);
    const [a, b] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    if ((b - a) * width < 4) return onSelect(event.shiftKey && timeAt(view, a) < view.to ? { from: timeAt(view, a), to: view.to } : null);
    onSelect({ from: timeAt(view, a), to: timeAt(view, b) });
  };
  const key = (event: KeyboardEvent) => {
    const length = view.to - view.from;
    const tenth = length / 10n > 0n ? length / 10n : 1n;
    const pan = (by: bigint) => onView(clamp({ from: view.from + by, to: view.to + by }, whole));
    const base = selection ?? { from: view.from + 4n * tenth, to: view.from + 5n * tenth };
    switch (event.key) {
      case 'ArrowLeft':
      case 'ArrowRight': {
        const by = event.key === 'ArrowLeft' ? -tenth : tenth;
        if (event.shiftKey) {
          const to = base.to + by;
          onSelect(to > base.from ? clamp({ from: base.from, to }, view) : base);
        } else if (event.altKey || event.ctrlKey) onSelect(clamp({ from: base.from + by, to: base.to + by }, view));
        else pan(by);
        break;
      }
      case '+': case '=': case 'ArrowUp': onView(zoom(view, 0.5, 0.5, whole)); break;
      case '-': case 'ArrowDown': onView(zoom(view, 0.5, 2, whole)); break;
      case '0': case 'Home': onView(null); break;
      case 'Enter': if (selection) { onView(selection); onSelect(null); } break;
      case ' ': onSelect(base); break;
      case 'Escape': onSelect(null); break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const total = (data?.counts ?? []).reduce((sum, c) => sum + c.reduce((a, b) => a + b, 0), 0);
  const bad = (data?.counts ?? []).reduce((sum, c) => sum + c.reduce((a, b, i) => a + (BAD.has(levels[i]) ? b : 0), 0), 0);
  const label = `Time line from ${formatTime(view.from, 3)} to ${formatTime(view.to, 3)}: ${formatCount(total)} records, `
    + `${formatCount(bad)} of them warnings or errors. Arrow keys move, plus and minus zoom, space selects, `
    + `shift and alt with arrows change the selection, Enter zooms to it, Escape clears it.`;

  let tip = null;
  if (pointer && data && !drag && pointer.y > top && pointer.y < top + plot) {
    const time = timeAt(view, pointer.x / width);
    const step = parseNs(data.step) ?? 1n;
    const bin = Number((time - (parseNs(data.from) ?? 0n)) / step);
    const counts = data.counts[bin];
    if (counts) {
      tip = (
        <div class={'tip' + (pointer.x > width * 0.7 ? ' left' : '')} style={{ left: `${pointer.x}px`, top: `${top}px` }}>
          <b>{formatClock((parseNs(data.from) ?? 0n) + BigInt(bin) * step, step < 1_000_000n ? 9 : 3)}</b> + {formatDuration(step)}
          {levels.map((level, i) => counts[i] > 0 && <div key={level}><i class={`dot ${level}`} />{level} {formatCount(counts[i])}</div>).reverse()}
          {data.matches && <div>found {formatCount(data.matches[bin] ?? 0)}</div>}
        </div>
      );
    }
  }

  return (
    <div ref={ref} class={'timeline' + (props.loading ? ' loading' : '')} style={{ height: `${height}px` }} tabIndex={0} role="application"
      aria-label={label} id="timeline" onPointerDown={down} onPointerMove={move} onPointerUp={up}
      onPointerCancel={() => setDrag(null)} onPointerLeave={() => setPointer(null)} onKeyDown={key}
      onDblClick={() => { if (selection) { onView(selection); onSelect(null); } }}>
      <Canvas draw={draw} width={width} height={height} aria-hidden="true" />
      {groupMarks(data?.marks ?? [], view, width).map((group) => {
        const time = parseNs(group[0].time) ?? 0n;
        const text = group.slice(0, 12).map(markText).join('\n') + (group.length > 12 ? `\nand ${group.length - 12} more` : '');
        return (
          <button key={`${group[0].time}${group[0].kind}`} class={`sign ${group[0].kind}`} style={{ left: `${Math.min(width - 8, Math.max(8, at(time)))}px` }} title={cut(text, 2000)}
            aria-label={cut(text, 2000)} onPointerDown={(e) => e.stopPropagation()}
            onClick={() => { const half = (view.to - view.from) / 40n || 1n; onSelect(clamp({ from: time - half, to: time + half }, view)); }}>
            {SIGNS[group[0].kind] ?? '•'}
          </button>
        );
      })}
      {drag && <div class="brush" style={{ left: `${Math.min(drag.from, drag.to) * width}px`, width: `${Math.abs(drag.to - drag.from) * width}px`, top: `${top}px`, height: `${plot}px` }}>
        <span>{formatDuration(timeAt(view, Math.max(drag.from, drag.to)) - timeAt(view, Math.min(drag.from, drag.to)))}</span></div>}
      {tip}
    </div>
  );
}

export function Legend({ levels, totals, onLevel }: { levels: string[]; totals: number[]; onLevel: (level: string) => void }) {
  return (
    <div class="legend">
      {levels.map((level, i) => totals[i] > 0 && (
        <button key={level} title={`Only ${level} and higher`} onClick={() => onLevel(level)} data-level={level}>
          <i class={`dot ${level}`} />{level} <b>{formatCount(totals[i])}</b>
        </button>
      )).reverse()}
    </div>
  );
}
