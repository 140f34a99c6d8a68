// Scales and numbers of plots.

// "1,234,567": thousands are separated in every locale alike, since pages are compared and quoted.
export function formatCount(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

// Short: "12.3k", "4M".
export function formatShort(n: number): string {
  for (const [size, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (Math.abs(n) >= size) return Number((n / size).toPrecision(3)) + unit;
  }
  return String(Number(n.toPrecision(3)));
}

// A number of a log: up to six significant digits, no exponent where people would not write one.
export function formatValue(value: number | string | null | undefined, unit = ''): string {
  if (value == null) return '–';
  const n = typeof value === 'number' ? value : Number(value);
  const text = typeof value === 'string' && !Number.isFinite(n) ? value
    : Math.abs(n) >= 1e15 || (n !== 0 && Math.abs(n) < 1e-4) ? n.toExponential(3)
    : Number.isInteger(n) ? n.toString()
    : String(Number(n.toPrecision(6)));
  return unit ? `${text} ${unit}` : text;
}

export function formatPercent(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %';
  const p = (100 * part) / whole;
  return p < 0.1 ? '< 0.1 %' : p < 10 ? `${p.toFixed(1)} %` : `${p.toFixed(0)} %`;
}

// Round numbers from 0 to `max`, at most `most` steps.
export function niceTicks(max: number, most: number): number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0];
  const raw = max / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw)!;
  const ticks: number[] = [];
  for (let i = 0; i * step <= max * (1 + 1e-9); i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

// A logarithmic axis for values from `min` to `max` (both > 0): position 0 to 1, and back.
export class LogScale {
  private readonly low: number;
  private readonly high: number;
  constructor(readonly min: number, readonly max: number) {
    this.low = Math.log10(min);
    this.high = Math.max(Math.log10(max), this.low + 1e-9);
  }
  // Values that are no positive numbers are at the bottom.
  at(value: number): number {
    if (!(value > 0)) return 0;
    return Math.min(1, Math.max(0, (Math.log10(value) - this.low) / (this.high - this.low)));
  }
  value(position: number): number {
    return 10 ** (this.low + position * (this.high - this.low));
  }
  // Powers of ten; with 2 and 5 between where there is room.
  ticks(most: number): number[] {
    const decades = this.high - this.low;
    const factors = decades * 3 <= most ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(decades / Math.max(1, most)));
    const ticks: number[] = [];
    for (let e = Math.floor(this.low); e <= this.high + 1; e += factors.length > 1 ? 1 : every) {
      for (const f of factors) {
        const v = Number((f * 10 ** e).toPrecision(3));
        if (v >= this.min * (1 - 1e-9) && v <= this.max * (1 + 1e-9)) ticks.push(v);
      }
    }
    return ticks;
  }
}

// Index of the bucket [edges[k], edges[k + 1]) of a value; -1 outside.
export function bucketOf(edges: number[], value: number): number {
  for (let k = 0; k + 1 < edges.length; k++) if (value >= edges[k] && value < edges[k + 1]) return k;
  return -1;
}
