// Questions to the server. One that is asked anew cancels the one before it.
import { useEffect, useRef, useState } from 'preact/hooks';

export type Session = { id: string; program: string; host: string; pid: number; first: string; last: string; state: string };
export type Field = { name: string; kind: 'text' | 'number' | 'duration'; unit?: string };
export type Log = {
  title: string; version: string; files: { path: string; bytes: number; records: number }[]; sessions: Session[];
  first: string; last: string; records: number; levels: string[]; fields: Field[]; loggers: string[];
  live: boolean; control: boolean; damage: string[];
  shifts?: string[]; secrets?: boolean; // what the server was started with: texts of --shift, --show-secrets
};
export type Mark = { time: string; kind: string; text: string; session?: string };
export type Timeline = {
  from: string; to: string; step: string; levels: string[]; counts: number[][]; matches?: number[]; marks: Mark[];
  more?: number; // marks of the milder kinds that were not sent
};
export type Value = string | number | boolean | null;
export type Line = {
  id: string | number; time: string; level: string; logger: string; program: string; host: string; pid: number;
  tid?: Value; thread: string; file: string; line: number; site: string; text?: string; message: string;
  args: { name: string; value: Value; unit?: string }[]; context: { name: string; value: Value }[]; span?: string; cut?: boolean; // cut: a text is longer; ?id= gives all of it
};
export type Lines = { lines: Line[]; next: string | null; total: number | null };
export type Row = {
  value: Value; site?: string; filter?: string; count: number; errors: number; p50?: number | null; p99?: number | null;
  spark: number[];
};
export type Breakdown = { by: string; unit?: string; rows: Row[]; others: { count: number } };
export type Statement = { site: string; text: string; level?: string; count: number };
export type Change = {
  site: string; text: string; level?: string; before: number; after: number; ratio: number | null;
  values?: { field: string; value: Value; before: string; after: string }[]; // shares, as `steno diff` prints them
  numbers?: { field: string; value: string; before: string; after: string }[]; // value: which one, "median"
};
export type Side = { records: number; seconds: number };
export type Diff = { before: Side; after: Side; load: number; new: Statement[]; gone: Statement[]; changed: Change[] };
export type Latency = {
  field: string; unit?: string; step: string; from: string;
  lines: { time: string; count: number; p50: number | null; p99: number | null; max: number | null }[];
  heat: { edges: number[]; cells: number[][] };
};
export type Threads = {
  from: string; step: string;
  // filter: of --where, for the records of this row. Names tell no threads apart.
  threads: { program: string; host: string; pid: number; tid: Value; thread: string; filter?: string; count: number; last: string;
    gap: string; activity: number[] }[];
};
export type Span = {
  id: string; parent: string | null; name: string; begin: string | null; end: string | null; program: string; host: string;
  thread: string;
};
export type Request = {
  lines: Line[]; spans: Span[]; more?: boolean; // more: there are others that were not sent
  bars: { program: string; host: string; pid: number; tid: Value; thread: string; first: string; last: string }[];
};

export type Clocks = {
  shifts: { host: string; add: string; uncertainty: number | null }[]; // add: ns
  unknown: string[]; pairs: number; statements: string;
};

// Questions that have no answer yet, and who wants to know when there is none.
let running = 0;
const waiting = new Set<() => void>();

export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  running++;
  try {
    return await askOnce<T>(path, signal);
  } finally {
    if (--running === 0) waiting.forEach((tell) => tell());
  }
}

// Counts up when the log has grown, while `on`; not before all that was asked is answered, however often it grows.
export function useGrowth(on: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!on) return;
    const events = new EventSource('/api/live');
    let grown = false;
    const look = () => {
      if (!grown || running > 0) return;
      grown = false;
      setTick((t) => t + 1);
    };
    events.addEventListener('change', () => { grown = true; look(); });
    waiting.add(look);
    return () => { events.close(); waiting.delete(look); };
  }, [on]);
  return tick;
}

async function askOnce<T>(path: string, signal?: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(path, { signal, credentials: 'same-origin' });
    if (answer.ok) return (await answer.json()) as T;
    const after = answer.status === 503 ? answer.headers.get('Retry-After') : null;
    if (after != null && attempt < 5) {
      // The server is busy with other questions, and says when to ask again. Any other failure would be the same again.
      await new Promise((resolve) => setTimeout(resolve, Math.max(200 << attempt, Math.min(10, Number(after) || 0) * 1000)));
      signal?.throwIfAborted();
      continue;
    }
    let text = `${answer.status} ${answer.statusText}`;
    try {
      text = (await answer.json()).error ?? text;
    } catch {
      // not an answer of this server
    }
    throw new Error(text);
  }
}

export type Verdict = { complete: boolean; damaged: boolean; lost: number; exact: boolean; text: string; gaps: string[]; more: number };

// The answer of `steno verify` about the files; null until that is known. `ready`: what people wait for has been answered.
// A log that grows is looked at again now and then only, since each look reads all of it.
// `at`: the `again` that the verdict is of.
type Checked = { verdict: Verdict | null; error: string; at: unknown };
export function useVerdict(ready: boolean, again: unknown): Checked {
  const [state, setState] = useState<Checked>({ verdict: null, error: '', at: null });
  const next = useRef(0);
  const asked = useRef<unknown>(undefined);
  useEffect(() => {
    if (!ready || asked.current === again) return;
    const timer = setTimeout(() => {
      asked.current = again;
      const begin = performance.now();
      const later = () => { next.current = performance.now() + Math.max(2000, 20 * (performance.now() - begin)); };
      next.current = Infinity;
      askOnce<Verdict>('/api/verify').then((verdict) => { later(); setState({ verdict, error: '', at: again }); }, (error: Error) => { later(); setState((s) => ({ ...s, error: error.message })); });
    }, Math.max(0, Math.min(next.current - performance.now(), 1e9)));
    return () => clearTimeout(timer);
  }, [ready, again, state]);
  return state;
}

export type Answer<T> = { data: T | null; error: string; loading: boolean; path: string };

// The answer to a question; while a new one is asked, the old one stays. null asks nothing. A changed `again` repeats.
export function useQuestion<T>(path: string | null, again: unknown = 0): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ data: null, error: '', loading: path != null, path: '' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => {
    running.current?.abort();
    if (path == null) {
      setAnswer({ data: null, error: '', loading: false, path: '' });
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    setAnswer((a) => ({ ...a, loading: true }));
    ask<T>(path, controller.signal).then(
      (data) => setAnswer({ data, error: '', loading: false, path }),
      (error: Error) => {
        if (!controller.signal.aborted) setAnswer({ data: null, error: error.message, loading: false, path });
      },
    );
    return () => controller.abort();
  }, [path, again]);
  return answer;
}

export function withParameters(path: string, parameters: Record<string, string | number | null | undefined>): string {
  const p = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value != null && value !== '') p.set(name, String(value));
  const text = p.toString();
  return text ? `${path}?${text}` : path;
}
