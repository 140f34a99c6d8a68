// Rows of a list that can be reached at any place, though answers come page by page: counts by time say which stretch of
// time a row is in, and each stretch has pages of its own.
import { Pages } from './pages';
import type { Range } from './time';

export type Segment = Range & { count: number };
export type Wanted = { page: number; cursor: string | null; segment?: number; range?: Range };

// The rows of a list, be they asked for from its beginning (Pages) or at any place (Segments).
export interface Rows<T> {
  readonly rows: number;
  readonly complete: boolean;
  row(index: number): T | undefined;
  wanted(first: number, last: number, ahead: number): Wanted | null;
  put(wanted: Wanted, lines: T[], next: string | null): void;
}

// A list in an order that is not that of time.
export class FromBeginning<T> implements Rows<T> {
  private readonly pages = new Pages<T>();
  get rows() { return this.pages.rows; }
  get complete() { return this.pages.complete; }
  row(index: number) { return this.pages.row(index); }
  wanted(first: number, last: number, ahead: number): Wanted | null { return this.pages.wanted(first, last, ahead); }
  put(wanted: Wanted, lines: T[], next: string | null) { this.pages.put(wanted.page, lines, next); }
}

// Neighbouring steps of time with few records become one stretch; stretches without records are left out.
export function segmentsOf(from: bigint, step: bigint, counts: number[], within: Range, least = 400): Segment[] {
  const segments: Segment[] = [];
  counts.forEach((count, i) => {
    if (!(count > 0)) return;
    const begin = from + BigInt(i) * step;
    const range = { from: begin < within.from ? within.from : begin, to: begin + step > within.to ? within.to : begin + step };
    const last = segments[segments.length - 1];
    if (last && last.count + count <= least) {
      last.to = range.to;
      last.count += count;
    } else segments.push({ ...range, count });
  });
  return segments;
}

export class Segments<T> implements Rows<T> {
  private readonly starts: number[] = [0]; // first row of segment i, and one past the last row
  private readonly pages = new Map<number, Pages<T>>(); // of the segments seen last, the oldest first
  constructor(private readonly segments: Segment[], private readonly most = 8) {
    for (const segment of segments) this.starts.push(this.starts[this.starts.length - 1] + segment.count);
  }
  get rows(): number {
    return this.starts[this.starts.length - 1];
  }
  get complete(): boolean {
    return true;
  }

  private segmentOf(index: number): number {
    let low = 0;
    let high = this.segments.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low;
  }

  row(index: number): T | undefined {
    if (index < 0 || index >= this.rows) return undefined;
    const segment = this.segmentOf(index);
    return this.pages.get(segment)?.row(index - this.starts[segment]);
  }

  wanted(first: number, last: number): Wanted | null {
    if (this.rows === 0) return null;
    for (let i = this.segmentOf(Math.min(Math.max(0, first), this.rows - 1)); i < this.segments.length && this.starts[i] < last; i++) {
      const begin = Math.max(0, first - this.starts[i]);
      const end = Math.min(this.segments[i].count, last - this.starts[i]);
      const pages = this.pages.get(i) ?? new Pages<T>();
      const wanted = pages.wanted(begin, end, 0);
      // `ahead` of 0 asks for a page beyond rows that are all there; not so at the end of the segment.
      if (wanted && !(wanted.page > 0 && pages.rows >= end && pages.row(end - 1) !== undefined && pages.row(begin) !== undefined)) {
        return { ...wanted, segment: i, range: { from: this.segments[i].from, to: this.segments[i].to } };
      }
    }
    return null;
  }

  put(wanted: Wanted, lines: T[], next: string | null): void {
    const segment = wanted.segment!;
    const pages = this.pages.get(segment) ?? new Pages<T>();
    this.pages.delete(segment);
    this.pages.set(segment, pages); // as the newest
    pages.put(wanted.page, lines, next);
    for (const old of this.pages.keys()) {
      if (this.pages.size <= this.most) break;
      this.pages.delete(old);
    }
  }
}

// Browsers cut elements that are taller.
export const MAX_PIXELS = 15_000_000;

// Where a list is: of one that is too tall, a pixel of the scroll bar is more than a pixel of rows.
export class Scroll {
  readonly isScaled: boolean;
  readonly pixels: number; // of the element that is scrolled
  private readonly last: number; // the row at the top when all is scrolled
  private readonly way: number;
  constructor(rows: number, rowHeight: number, height: number, most = MAX_PIXELS) {
    this.pixels = Math.min(rows * rowHeight, most);
    this.isScaled = rows * rowHeight > most;
    this.last = Math.max(0, rows - height / rowHeight);
    this.way = Math.max(0, this.pixels - height);
  }
  rowAt(scrollTop: number): number {
    return this.way > 0 ? (Math.min(scrollTop, this.way) / this.way) * this.last : 0;
  }
  topOf(row: number): number {
    return this.last > 0 ? (Math.min(Math.max(0, row), this.last) / this.last) * this.way : 0;
  }
}
