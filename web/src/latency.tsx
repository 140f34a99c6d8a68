// A quantity over time: how often each size was (heat map on a logarithmic scale), with p50, p99 and max as lines.
import { useCallback, useState } from 'preact/hooks';
import { type Latency as Answer, type Log, useQuestion, withParameters } from './api';
import { unitOf, numbersOf } from './breakdown';
import { Canvas, type Colours, drawValues, useWidth } from './canvas';
import { Scatter } from './scatter';
import { bucketOf, formatCount, formatValue, LogScale } from './scale';
import { formatTime, fractionOf, parseNs, type Range, timeAt, timeTicks } from './time';
import { between } from './where';

const LEFT = 64;
const BOTTOM = 20;
const TOP = 10;

// Bucket borders around what was measured; from the lines if there is no heat map.
function scaleOf(answer: Answer): LogScale {
  const { edges } = answer.heat;
  let low = Infinity;
  let high = 0;
  answer.heat.cells.forEach((cells) => cells.forEach((n, k) => {
    if (n > 0 && k + 1 < edges.length) {
      if (edges[k] > 0) low = Math.min(low, edges[k]);
      high = Math.max(high, edges[k + 1]);
    }
  }));
  for (const l of answer.lines) {
    if (l.p50 != null && l.p50 > 0) low = Math.min(low, l.p50);
    if (l.max != null) high = Math.max(high, l.max);
  }
  if (!(low < high)) low = high > 0 ? high / 10 : 0.1;
  return new LogScale(low, high > low ? high : low * 10);
}

export function Latency(props: {
  log: Log; parameters: Record<string, string | number | null | undefined>; range: Range; field: string; against: string; again: unknown;
  onField: (field: string) => void; onAgainst: (field: string) => void; onOpen: (id: string) => void; onCell: (filter: string, range: Range) => void;
}) {
  const { log, range } = props;
  const names = numbersOf(log);
  const field = props.field || names.find((n) => log.fields.find((f) => f.name === n)?.kind === 'duration')
    || names.find((n) => /elapsed|took|duration|latency|time|_(ns|us|ms|s)$|^(ns|us|ms)$/i.test(n)) || names[0] || '';
  const { ref, width, height } = useWidth<HTMLDivElement>(1000);
  const bins = Math.max(40, Math.min(240, Math.floor((width - LEFT) / 8)));
  const answer = useQuestion<Answer>(field && !props.against ? withParameters('/api/latency', { ...props.parameters, field, bins }) : null, props.again);
  const [cursor, setCursor] = useState<{ bin: number; bucket: number } | null>(null);
  const data = answer.data;
  const unit = data?.unit ?? unitOf(log, field);
  const scale = data ? scaleOf(data) : null;
  const plot = Math.max(60, height - BOTTOM - TOP);
  const from = parseNs(data?.from) ?? range.from;
  const step = parseNs(data?.step) ?? 1n;
  const y = (v: number) => TOP + (1 - (scale?.at(v) ?? 0)) * plot;
  const x = (at: bigint) => LEFT + fractionOf(range, at) * (width - LEFT);

  const draw = useCallback((c: CanvasRenderingContext2D, w: number, h: number, colours: Colours) => {
    c.clearRect(0, 0, w, h);
    if (!data || !scale) return;
    const edges = data.heat.edges;
    const most = Math.max(1, ...data.heat.cells.map((cells) => Math.max(0, ...cells)));
    data.heat.cells.forEach((cells, i) => {
      const left = x(from + BigInt(i) * step);
      const right = x(from + BigInt(i + 1) * step);
      cells.forEach((n, k) => {
        if (!(n > 0) || k + 1 >= edges.length) return;
        // A single record is to be seen beside thousands: the logarithm of the count.
        c.globalAlpha = 0.18 + (0.82 * Math.log(1 + n)) / Math.log(1 + most);
        c.fillStyle = colours.heat;
        const top = y(edges[k + 1]);
        c.fillRect(left, top, Math.max(1.5, right - left - 0.5), Math.max(1.5, y(edges[k]) - top - 0.5));
      });
    });
    c.globalAlpha = 1;
    drawValues(c, colours, LEFT, w, scale.ticks(Math.max(3, Math.floor(plot / 28))), y, (v) => formatValue(v, unit));
    c.textAlign = 'center';
    c.textBaseline = 'top';
    for (const tick of timeTicks(range, Math.max(2, Math.floor((w - LEFT) / 90)))) {
      const at = x(tick.at);
      c.fillStyle = colours.line;
      c.fillRect(at, TOP + plot, 1, 4);
      c.fillStyle = colours.dim;
      if (at < w - 30 && at > LEFT + 20) c.fillText(tick.text, at, TOP + plot + 5);
    }
    const line = (pick: 'p50' | 'p99' | 'max', colour: string, dash: number[]) => {
      c.strokeStyle = colour;
      c.lineWidth = pick === 'p50' ? 2 : 1.5;
      c.setLineDash(dash);
      c.beginPath();
      let down = false;
      data.lines.forEach((point) => {
        const v = point[pick];
        if (v == null) { down = false; return; }
        const at = x((parseNs(point.time) ?? 0n) + step / 2n);
        if (down) c.lineTo(at, y(v));
        else c.moveTo(at, y(v));
        if (!down) c.lineTo(at + 0.5, y(v));
        down = true;
      });
      c.stroke();
      c.setLineDash([]);
    };
    line('max', colours.dim, [2, 3]);
    line('p99', colours.levels.ERROR, [6, 3]);
    line('p50', colours.text, []);
    if (cursor) {
      c.strokeStyle = colours.accent;
      c.lineWidth = 2;
      const left = x(from + BigInt(cursor.bin) * step);
      const top = y(edges[cursor.bucket + 1]);
      c.strokeRect(left, top, Math.max(4, x(from + BigInt(cursor.bin + 1) * step) - left), Math.max(4, y(edges[cursor.bucket]) - top));
    }
  }, [data, range, width, height, cursor, unit]);

  const cellAt = (event: { clientX: number; clientY: number }) => {
    if (!data || !scale) return null;
    const box = ref.current!.getBoundingClientRect();
    const time = timeAt(range, (event.clientX - box.left - LEFT) / (width - LEFT));
    const bin = Number((time - from) / step);
    const bucket = bucketOf(data.heat.edges, scale.value(1 - (event.clientY - box.top - TOP) / plot));
    return bin >= 0 && bin < data.heat.cells.length && bucket >= 0 ? { bin, bucket } : null;
  };
  const go = (cell: { bin: number; bucket: number }) => {
    if (!data) return;
    const begin = from + BigInt(cell.bin) * step;
    const durations = log.fields.find((f) => f.name === field)?.kind === 'duration';
    props.onCell(between(field, data.heat.edges[cell.bucket], data.heat.edges[cell.bucket + 1], durations ? unit : ''),
      { from: begin < range.from ? range.from : begin, to: begin + step > range.to ? range.to : begin + step });
  };
  const key = (event: KeyboardEvent) => {
    if (!data || data.heat.cells.length === 0) return;
    const now = cursor ?? { bin: 0, bucket: 0 };
    const by: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key in by) {
      const [dx, dy] = by[event.key];
      setCursor({ bin: Math.max(0, Math.min(data.heat.cells.length - 1, now.bin + dx)), bucket: Math.max(0, Math.min(data.heat.edges.length - 2, now.bucket + dy)) });
    } else if (event.key === 'Enter' && cursor) go(cursor);
    else if (event.key === 'Escape') setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const cell = cursor && data ? {
    line: data.lines.find((l) => parseNs(l.time) === from + BigInt(cursor.bin) * step),
    text: `${formatTime(from + BigInt(cursor.bin) * step, 3)}: ${formatCount(data.heat.cells[cursor.bin]?.[cursor.bucket] ?? 0)} from ${formatValue(data.heat.edges[cursor.bucket], unit)} to ${formatValue(data.heat.edges[cursor.bucket + 1], unit)}`,
  } : null;
  const count = (data?.lines ?? []).reduce((sum, l) => sum + l.count, 0);
  return (
    <section class="panel" aria-label="Latency">
      <div class="bar">
        <label>quantity <select id="field" value={field} onChange={(e) => props.onField(e.currentTarget.value)}>
          {names.map((n) => <option key={n} value={n}>{n}</option>)}
        </select></label>
        <label>against <select id="against" value={props.against} onChange={(e) => props.onAgainst(e.currentTarget.value)}>
          <option value="">time</option>
          {names.filter((n) => n !== field).map((n) => <option key={n} value={n}>{n}</option>)}
        </select></label>
        {!props.against && <><span class="keys"><i class="key p50" />p50 <i class="key p99" />p99 <i class="key max" />max</span>
        <span class="count">{formatCount(count)} values</span>
        <span class="dim">{cell ? cell.text : 'Stronger colour: more records. A click on a cell shows them.'}</span>
        {cell?.line && <span class="dim">p50 {formatValue(cell.line.p50, unit)}, p99 {formatValue(cell.line.p99, unit)}, max {formatValue(cell.line.max, unit)}</span>}</>}
      </div>
      {names.length === 0 && <p class="empty">No statement of this log has a number.</p>}
      {answer.error && <p class="error" role="alert">{answer.error}</p>}
      {props.against && <Scatter parameters={props.parameters} x={props.against} y={field} again={props.again} onOpen={props.onOpen} />}
      <div ref={ref} hidden={props.against !== ''} class={'plot' + (answer.loading ? ' loading' : '')} id="latency" tabIndex={0} role="application" data-path={answer.path}
        aria-label={`${field} over time, ${formatCount(count)} values. ${cell ? cell.text : 'Arrow keys choose a cell, Enter shows its records.'}`}
        onPointerMove={(e) => setCursor(cellAt(e))} onPointerLeave={() => setCursor(null)} onClick={(e) => { const c = cellAt(e); if (c) go(c); }} onKeyDown={key}>
        <Canvas draw={draw} width={width} height={height} aria-hidden="true" />
      </div>
      <table class="hidden" id="latency-lines" data-step={String(step)}><caption>{field} by step, in {unit || 'its own unit'}</caption><tbody>
        {(data?.lines ?? []).map((l) => <tr key={l.time}><th>{formatTime(parseNs(l.time) ?? 0n)}</th><td>{l.count}</td><td>{String(l.p50)}</td><td>{String(l.p99)}</td><td>{String(l.max)}</td></tr>)}
      </tbody></table>
    </section>
  );
}
