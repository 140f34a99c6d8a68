// Two quantities against each other: one point a record, which a click opens.
import { useCallback, useMemo, useState } from 'preact/hooks';
import { useQuestion, withParameters } from './api';
import { Canvas, type Colours, drawValues, useWidth } from './canvas';
import { formatCount, formatValue, LogScale, niceTicks } from './scale';

type Answer = { points: [number | null, number | null, string][]; total: number; x_unit?: string; y_unit?: string };
type Point = { x: number; y: number; id: string };
export type Axis = { at: (value: number) => number; ticks: (most: number) => number[] };

const LEFT = 64;
const BOTTOM = 22;

// Logarithmic where all values are positive and more than a decade apart, else linear; positions are from 0 to 1.
export function axisOf(values: number[]): Axis {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (low > 0 && high / low > 10) {
    const scale = new LogScale(low, high);
    return { at: (v) => scale.at(v), ticks: (most) => scale.ticks(most) };
  }
  if (!(low < high)) [low, high] = Number.isFinite(low) ? [low - 1, low + 1] : [0, 1];
  if (low > 0 && low < (high - low) / 2) low = 0;
  return {
    at: (v) => (v - low) / (high - low),
    ticks: (most) => {
      const all = niceTicks(Math.max(Math.abs(low), Math.abs(high)), most);
      return [...all.slice(1).map((t) => -t).reverse(), ...all].filter((t) => t >= low && t <= high);
    },
  };
}

export function Scatter(props: {
  parameters: Record<string, string | number | null | undefined>; x: string; y: string; again: unknown; onOpen: (id: string) => void;
}) {
  const { ref, width, height } = useWidth<HTMLDivElement>(1000);
  const answer = useQuestion<Answer>(withParameters('/api/scatter', { ...props.parameters, x: props.x, y: props.y, limit: 5000 }), props.again);
  const [chosen, setChosen] = useState(-1);
  const points = useMemo<Point[]>(() => (answer.data?.points ?? [])
    .flatMap(([x, y, id]) => (x != null && y != null ? [{ x, y, id }] : [])).sort((a, b) => a.x - b.x), [answer.data]);
  const across = useMemo(() => axisOf(points.map((p) => p.x)), [points]);
  const up = useMemo(() => axisOf(points.map((p) => p.y)), [points]);
  const plot = Math.max(60, height - BOTTOM - 10);
  const px = (v: number) => LEFT + 6 + across.at(v) * (width - LEFT - 20);
  const py = (v: number) => 8 + (1 - up.at(v)) * (plot - 4);
  const units = [answer.data?.x_unit ?? '', answer.data?.y_unit ?? ''];

  const draw = useCallback((c: CanvasRenderingContext2D, w: number, h: number, colours: Colours) => {
    c.clearRect(0, 0, w, h);
    drawValues(c, colours, LEFT, w, up.ticks(Math.max(3, Math.floor(plot / 30))), py, (v) => formatValue(v, units[1]));
    c.textBaseline = 'top';
    c.textAlign = 'center';
    for (const v of across.ticks(Math.max(3, Math.floor(w / 90)))) {
      c.fillStyle = colours.line;
      c.fillRect(px(v), 8, 1, plot);
      c.fillStyle = colours.dim;
      if (px(v) < w - 24) c.fillText(formatValue(v, units[0]), px(v), plot + 10);
    }
    c.fillStyle = colours.heat;
    c.globalAlpha = points.length > 1000 ? 0.35 : 0.6;
    for (const p of points) c.fillRect(px(p.x) - 2, py(p.y) - 2, 4, 4);
    c.globalAlpha = 1;
    const one = points[chosen];
    if (one) {
      c.strokeStyle = colours.accent;
      c.lineWidth = 2;
      c.strokeRect(px(one.x) - 5, py(one.y) - 5, 10, 10);
    }
  }, [points, across, up, width, height, chosen]);

  const nearest = (event: { clientX: number; clientY: number }) => {
    const box = ref.current!.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1;
    let least = 14 * 14;
    points.forEach((p, i) => {
      const d = (px(p.x) - x) ** 2 + (py(p.y) - y) ** 2;
      if (d < least) [best, least] = [i, d];
    });
    return best;
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowUp') setChosen(Math.min(points.length - 1, chosen + 1));
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowDown') setChosen(Math.max(0, chosen - 1));
    else if (event.key === 'Enter' && points[chosen]) props.onOpen(points[chosen].id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const one = points[chosen];
  const text = one ? `${props.x} ${formatValue(one.x, units[0])}, ${props.y} ${formatValue(one.y, units[1])}` : 'A click on a point shows its record.';
  return (
    <>
      <div class="bar"><span class="count" id="scatter-count" data-count={points.length}>{formatCount(points.length)}{answer.data && answer.data.total > points.length ? ` of ${formatCount(answer.data.total)}` : ''} points</span>
        <span class="dim">{props.x} across, {props.y} up. {text}</span></div>
      {answer.error && <p class="error" role="alert">{answer.error}</p>}
      <div ref={ref} class={'plot' + (answer.loading ? ' loading' : '')} id="scatter" tabIndex={0} role="application" data-path={answer.path}
        aria-label={`${props.y} against ${props.x}, ${formatCount(points.length)} points. ${one ? text : 'Arrow keys choose a point, Enter shows its record.'}`}
        onPointerMove={(e) => setChosen(nearest(e))} onClick={(e) => { const i = nearest(e); if (points[i]) props.onOpen(points[i].id); }} onKeyDown={key}>
        <Canvas draw={draw} width={width} height={height} aria-hidden="true" />
      </div>
    </>
  );
}
