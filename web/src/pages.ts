// The window of a virtual list over answers that come page by page, each with the cursor of the next.

// Rows that a scrolled box shows, with some more on both sides.
export function visibleRows(scrollTop: number, height: number, rowHeight: number, rows: number, margin = 8) {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const last = Math.min(rows, Math.ceil((scrollTop + height) / rowHeight) + margin);
  return { first: Math.min(first, rows), last: Math.max(first > rows ? rows : first, last) };
}

// Keeps a bounded number of pages; those far from what is seen are dropped and asked for again by their cursor.
export class Pages<T> {
  private readonly pages = new Map<number, T[]>();
  private readonly cursors: (string | null)[] = [null]; // of page i; null: the beginning
  private readonly starts: number[] = [0]; // first row of page i
  private end = false;
  constructor(private readonly most = 24) {}

  // Rows that can be reached: all pages seen so far.
  get rows(): number {
    return this.starts[this.starts.length - 1];
  }
  get complete(): boolean {
    return this.end;
  }
  get kept(): number {
    return this.pages.size;
  }

  row(index: number): T | undefined {
    const page = this.pageOf(index);
    return page < 0 ? undefined : this.pages.get(page)?.[index - this.starts[page]];
  }

  private pageOf(index: number): number {
    let low = 0;
    let high = this.starts.length - 1; // starts[high] is one past the last page
    if (index < 0 || index >= this.starts[high]) return -1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low;
  }

  // The page to ask for next so that rows [first, last) are there, or null. `ahead`: rows wanted beyond the last.
  wanted(first: number, last: number, ahead: number): { page: number; cursor: string | null } | null {
    const from = this.pageOf(first);
    for (let page = from; page >= 0 && page < this.starts.length - 1 && this.starts[page] < last; page++) {
      if (!this.pages.has(page)) return { page, cursor: this.cursors[page] };
    }
    const page = this.starts.length - 1;
    return !this.end && last + ahead >= this.rows ? { page, cursor: this.cursors[page] } : null;
  }

  put(page: number, lines: T[], next: string | null): void {
    if (page === this.starts.length - 1) {
      this.starts.push(this.starts[page] + lines.length);
      this.cursors.push(next);
      this.end = next == null || lines.length === 0;
    } else {
      // A log that grows does not change pages that are full.
      lines = lines.slice(0, this.starts[page + 1] - this.starts[page]);
    }
    this.pages.set(page, lines);
    if (this.pages.size > this.most) {
      let far = page;
      for (const other of this.pages.keys()) if (Math.abs(other - page) > Math.abs(far - page)) far = other;
      this.pages.delete(far);
    }
  }
}
