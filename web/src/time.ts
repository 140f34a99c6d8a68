// Times are nanoseconds since 1970 as bigint: they pass 2^53. All texts are UTC.

export type Range = { from: bigint; to: bigint }; // half open

export const US = 1_000n;
export const MS = 1_000_000n;
export const SECOND = 1_000_000_000n;
export const MINUTE = 60n * SECOND;
export const HOUR = 60n * MINUTE;
export const DAY = 24n * HOUR;

// Quotient rounded down, also of negative numbers. `b` is positive.
export function floorDiv(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b < 0n ? q - 1n : q;
}

export function parseNs(text: string | null | undefined): bigint | null {
  return text != null && /^-?\d{1,19}$/.test(text) ? BigInt(text) : null;
}

type Parts = { date: string; clock: string; fraction: string };

function parts(ns: bigint): Parts {
  const ms = floorDiv(ns, MS);
  const date = new Date(Number(ms));
  const rest = ns - floorDiv(ns, SECOND) * SECOND;
  const text = date.toISOString(); // years up to 2262: always 24 characters
  return { date: text.slice(0, 10), clock: text.slice(11, 19), fraction: rest.toString().padStart(9, '0') };
}

// "2026-11-28 02:00:00.123456789Z", with so many digits after the point (cut, not rounded, as `steno cat` does).
export function formatTime(ns: bigint, digits = 9): string {
  const p = parts(ns);
  return `${p.date} ${p.clock}${digits > 0 ? '.' + p.fraction.slice(0, digits) : ''}Z`;
}

// "02:00:00.123456", without the date.
export function formatClock(ns: bigint, digits = 6): string {
  const p = parts(ns);
  return p.clock + (digits > 0 ? '.' + p.fraction.slice(0, digits) : '');
}

export function formatDate(ns: bigint): string {
  return parts(ns).date;
}

const UNITS: [bigint, string][] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
  [MS, 'ms'],
  [US, 'us'],
];

// Three or four digits and a unit: "1.5 s", "230 us", "59 min". Never 0 for what is not 0.
export function formatDuration(ns: bigint): string {
  if (ns < 0n) return '-' + formatDuration(-ns);
  for (const [size, unit] of UNITS) {
    if (ns >= size) {
      const value = Number((ns * 1000n) / size) / 1000;
      return `${value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))} ${unit}`;
    }
  }
  return `${ns} ns`;
}

const STEPS: bigint[] = (() => {
  const steps: bigint[] = [];
  for (let power = 1n; power < SECOND; power *= 10n) steps.push(power, 2n * power, 5n * power);
  for (const n of [1n, 2n, 5n, 10n, 15n, 30n]) steps.push(n * SECOND);
  for (const n of [1n, 2n, 5n, 10n, 15n, 30n]) steps.push(n * MINUTE);
  for (const n of [1n, 2n, 3n, 6n, 12n]) steps.push(n * HOUR);
  for (const n of [1n, 2n, 7n, 14n, 30n, 90n, 365n, 730n, 3650n, 36500n]) steps.push(n * DAY);
  return steps;
})();

export type Tick = { at: bigint; text: string };

// Round times of a range, at most `most` of them, with the shortest texts that tell neighbours apart.
export function timeTicks(range: Range, most: number): Tick[] {
  const length = range.to - range.from;
  if (length <= 0n || most < 1) return [];
  const step = STEPS.find((s) => length / s < BigInt(most)) ?? STEPS[STEPS.length - 1];
  let digits = 0;
  for (let unit = SECOND; step % unit !== 0n && digits < 9; unit /= 10n) digits++;
  const ticks: Tick[] = [];
  for (let at = -floorDiv(-range.from, step) * step; at < range.to && ticks.length <= most; at += step) {
    const midnight = floorDiv(at, DAY) * DAY === at;
    const clock = formatClock(at, digits);
    ticks.push({ at, text: midnight ? formatDate(at) : step % MINUTE === 0n ? clock.slice(0, 5) : clock });
  }
  return ticks;
}

// A part of a range, as a number from 0 to 1, and back. Numbers suffice for differences within a screen.
export function fractionOf(range: Range, at: bigint): number {
  const length = range.to - range.from;
  return length > 0n ? Number(at - range.from) / Number(length) : 0;
}

export function timeAt(range: Range, fraction: number): bigint {
  const length = range.to - range.from;
  const scaled = BigInt(Math.round(Math.min(1, Math.max(0, fraction)) * 2 ** 52));
  return range.from + ((length * scaled) >> 52n);
}

// A range that is `factor` times as long around a fixed point of it, within `limits`; never shorter than 10 ns.
export function zoom(range: Range, fraction: number, factor: number, limits: Range): Range {
  const length = range.to - range.from;
  let wanted = BigInt(Math.max(10, Math.round(Number(length) * factor)));
  const whole = limits.to - limits.from;
  if (wanted >= whole) return limits;
  const fixed = timeAt(range, fraction);
  const before = BigInt(Math.round(Number(wanted) * fraction));
  return clamp({ from: fixed - before, to: fixed - before + wanted }, limits);
}

// The range moved into the limits; it keeps its length if that fits.
export function clamp(range: Range, limits: Range): Range {
  const length = range.to - range.from;
  if (length >= limits.to - limits.from) return limits;
  if (range.from < limits.from) return { from: limits.from, to: limits.from + length };
  if (range.to > limits.to) return { from: limits.to - length, to: limits.to };
  return range;
}
