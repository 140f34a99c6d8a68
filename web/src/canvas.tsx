// A canvas that is as sharp as the screen, and is drawn anew when its size, its data or the colour scheme changes.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { HTMLAttributes } from 'preact';
import { SvgPicture } from './svg';

export type Colours = {
  text: string; dim: string; line: string; panel: string; accent: string; mark: string; levels: Record<string, string>;
  heat: string;
};

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const get = (name: string) => style.getPropertyValue(name).trim();
  const levels: Record<string, string> = {};
  for (const level of ['TRACE', 'DEBUG', 'INFO', 'NOTICE', 'WARN', 'ERROR', 'CRITICAL']) {
    levels[level] = get(`--level-${level.toLowerCase()}`);
  }
  return {
    text: get('--text'), dim: get('--dim'), line: get('--line'), panel: get('--panel'), accent: get('--accent'),
    mark: get('--mark'), heat: get('--heat'), levels,
  };
}

// Pixels of the page's text: larger on larger screens.
export function fontSize(): number {
  return parseFloat(getComputedStyle(document.body).fontSize) || 13;
}

// The scheme as a dependency of what is drawn.
export function useScheme(): boolean {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const listen = (event: MediaQueryListEvent) => setDark(event.matches);
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, []);
  return dark;
}

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number, colours: Colours) => void;

export function useWidth<E extends HTMLElement>(otherwise: number) {
  const ref = useRef<E>(null);
  const [size, setSize] = useState({ width: otherwise, height: 0 });
  useEffect(() => {
    const element = ref.current!;
    const observer = new ResizeObserver(() =>
      setSize((s) => s.width === element.clientWidth && s.height === element.clientHeight ? s
        : { width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...size };
}

// How each canvas is drawn, for those who want it as another picture.
const drawn = new WeakMap<HTMLCanvasElement, { draw: Draw; width: number; height: number }>();

const fontOf = () => `${Math.round(fontSize() * 0.85)}px system-ui, sans-serif`;

// The same picture as SVG; '': it is no canvas of this page.
export function svgOf(canvas: HTMLCanvasElement): string {
  const how = drawn.get(canvas);
  const measure = document.createElement('canvas').getContext('2d');
  if (!how || !measure) return '';
  const picture = new SvgPicture(how.width, how.height, measure);
  picture.font = fontOf();
  const colours = coloursOf(canvas);
  how.draw(picture as unknown as CanvasRenderingContext2D, how.width, how.height, colours);
  return picture.toString(colours.panel);
}

export function Canvas(props: { draw: Draw; width: number; height: number } & Omit<HTMLAttributes<HTMLCanvasElement>, 'draw'>) {
  const { draw, width, height, ...rest } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = useScheme();
  useEffect(() => {
    const element = canvas.current!;
    const ratio = devicePixelRatio || 1;
    element.width = Math.max(1, Math.round(width * ratio));
    element.height = Math.max(1, Math.round(height * ratio));
    const context = element.getContext('2d')!;
    context.scale(ratio, ratio);
    context.font = fontOf();
    drawn.set(element, { draw, width, height });
    draw(context, width, height, coloursOf(element));
  }, [draw, width, height, dark]);
  return <canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} {...rest} />;
}

// Lines across, from `left` on, at the values of an axis, which stand before them.
export function drawValues(c: CanvasRenderingContext2D, colours: Colours, left: number, right: number, values: number[],
  y: (value: number) => number, text: (value: number) => string) {
  c.textAlign = 'right';
  c.textBaseline = 'middle';
  for (const v of values) {
    c.fillStyle = colours.line;
    c.fillRect(left, y(v), right - left, 1);
    c.fillStyle = colours.dim;
    c.fillText(text(v), left - 6, y(v));
  }
}

// Counts as small bars.
// `start` and `part`: where the first one begins and how long one is, as parts of the width.
export function Spark({ values, label, width = 140, height = 22, start = 0, part = 1 / Math.max(1, values.length) }: {
  values: number[]; label: string; width?: number; height?: number; start?: number; part?: number;
}) {
  const most = Math.max(1, ...values);
  const step = width * part;
  let path = '';
  values.forEach((v, i) => {
    if (v <= 0) return;
    const h = Math.max(1.5, (v / most) * height);
    path += `M${(start * width + i * step).toFixed(1)} ${height}v${(-h).toFixed(1)}h${Math.max(1, step - 0.5).toFixed(1)}v${h.toFixed(1)}z`;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label} preserveAspectRatio="none">
      <path d={path} />
    </svg>
  );
}
