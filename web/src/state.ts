// The state of the page, and its text in the URL's fragment: a link reproduces the view.
import { parseNs, type Range } from './time';

export const TABS = ['lines', 'breakdown', 'compare', 'latency', 'threads', 'request'] as const;
export type Tab = (typeof TABS)[number];
export const ORDERS = ['newest', 'oldest', 'slowest'] as const;
export type Order = (typeof ORDERS)[number];

export type State = {
  tab: Tab;
  view: Range | null; // of the time line; null: the whole log
  last: bigint | null; // of the time line: so many nanoseconds up to the end of the log
  selection: Range | null; // rules what is below the time line
  before: Range | null; // the other side of `compare`; null: as long as the selection, directly before it
  filters: string[]; // expressions of --where, all of which hold
  q: string;
  order: Order;
  by: string; // of `breakdown`
  quantity: string;
  field: string; // of `latency`
  against: string; // another quantity; '': time
  key: string; // of `request`
  value: string;
  open: string; // id of the record whose fields are shown
  live: boolean;
};

export const INITIAL: State = {
  tab: 'lines', view: null, last: null, selection: null, before: null, filters: [], q: '', order: 'oldest',
  by: 'statement', quantity: '', field: '', against: '', key: '', value: '', open: '', live: false,
};

const TEXTS = ['q', 'by', 'quantity', 'field', 'against', 'key', 'value', 'open'] as const;
const RANGES = ['view', 'selection', 'before'] as const;

function rangeOf(text: string | null): Range | null {
  const [a, b, more] = (text ?? '').split('..');
  const from = parseNs(a);
  const to = parseNs(b);
  return from != null && to != null && more === undefined && from < to ? { from, to } : null;
}

// Fragments come from anywhere: what is not understood is left out.
export function parseFragment(fragment: string): State {
  const p = new URLSearchParams(fragment.replace(/^#/, ''));
  const state: State = { ...INITIAL, filters: p.getAll('where').filter((f) => f !== '') };
  for (const name of TEXTS) state[name] = p.get(name) ?? INITIAL[name];
  for (const name of RANGES) state[name] = rangeOf(p.get(name));
  const last = parseNs(p.get('last'));
  if (last != null && last > 0n) state.last = last;
  state.tab = TABS.find((t) => t === p.get('tab')) ?? INITIAL.tab;
  state.order = ORDERS.find((o) => o === p.get('order')) ?? INITIAL.order;
  state.live = p.get('live') === '1';
  return state;
}

// Only what differs from the beginning, in a fixed order.
export function formatFragment(state: State): string {
  const p = new URLSearchParams();
  if (state.tab !== INITIAL.tab) p.set('tab', state.tab);
  for (const name of RANGES) {
    const range = state[name];
    if (range) p.set(name, `${range.from}..${range.to}`);
  }
  if (state.last != null) p.set('last', String(state.last));
  for (const filter of state.filters) p.append('where', filter);
  for (const name of TEXTS) if (state[name] !== INITIAL[name]) p.set(name, state[name]);
  if (state.order !== INITIAL.order) p.set('order', state.order);
  if (state.live) p.set('live', '1');
  return p.toString();
}
