// The page of `steno web`: a time line, whose selection rules what is below it.
import './style.css';
import { render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Line, type Log, type Timeline, useGrowth, useQuestion, useVerdict, withParameters } from './api';
import { BreakDown, numbersOf } from './breakdown';
import { svgOf } from './canvas';
import { beforeOf, Compare, halves } from './compare';
import { About, Help, Levels, VerdictButton } from './dialogs';
import { Filters } from './filters';
import { Latency } from './latency';
import { cut, Lines } from './lines';
import { Record } from './record';
import { Request } from './request';
import { formatCount } from './scale';
import { formatFragment, parseFragment, type State, type Tab, TABS } from './state';
import { Threads } from './threads';
import { clamp, formatClock, formatDate, formatDuration, formatTime, parseNs, type Range } from './time';
import { Legend, TimeLine } from './timeline';
import { joinFilters } from './where';

const NAMES: { [T in Tab]: string } = {
  lines: 'Lines', breakdown: 'Break down', compare: 'Compare', latency: 'Latency', threads: 'Threads', request: 'One request',
};
const MINUTE = 60_000_000_000n;

// The date once, if it is the same.
function rangeText({ from, to }: Range): string {
  const end = formatDate(from) === formatDate(to) ? formatClock(to, 3) + 'Z' : formatTime(to, 3);
  return `${formatDate(from)} ${formatClock(from, 3)} – ${end} · ${formatDuration(to - from)}`;
}

function useWindowWidth(): number {
  const [width, setWidth] = useState(innerWidth);
  useEffect(() => {
    const listen = () => setWidth(innerWidth);
    addEventListener('resize', listen);
    return () => removeEventListener('resize', listen);
  }, []);
  return width;
}

// The state, with its text in the address. What a person would take back with the browser's button gets an entry there.
function useFragment(): [State, (patch: Partial<State>, entry?: boolean) => void] {
  const [state, setState] = useState(() => parseFragment(location.hash));
  const latest = useRef(state);
  useEffect(() => {
    const listen = () => setState((latest.current = parseFragment(location.hash)));
    addEventListener('popstate', listen);
    addEventListener('hashchange', listen);
    return () => { removeEventListener('popstate', listen); removeEventListener('hashchange', listen); };
  }, []);
  const update = useCallback((patch: Partial<State>, entry = true) => {
    const next = { ...latest.current, ...patch };
    const text = formatFragment(next);
    if (text !== formatFragment(latest.current)) {
      const url = text ? '#' + text : location.pathname;
      if (entry) history.pushState(null, '', url);
      else history.replaceState(null, '', url);
    }
    latest.current = next;
    setState(next);
  }, []);
  return [state, update];
}

function Page() {
  const [state, update] = useFragment();
  const [dialog, setDialog] = useState<'help' | 'about' | 'levels' | null>(null);
  const [line, setLine] = useState<Line | null>(null);
  const width = useWindowWidth();
  const tick = useGrowth(state.live);
  const answer = useQuestion<Log>('/api/log', tick);
  // A server that does not answer for a while takes nothing away from what is seen.
  const known = useRef<Log | null>(null);
  const log = (known.current = answer.data ?? known.current);
  const bins = Math.max(50, Math.min(1000, Math.floor(width / 4)));

  const whole: Range = useMemo(() => {
    const from = parseNs(log?.first) ?? 0n;
    const last = parseNs(log?.last) ?? 0n;
    return { from, to: last + 1n };
  }, [log?.first, log?.last]);
  const follows = state.last != null ? clamp({ from: whole.to - state.last, to: whole.to }, whole) : null;
  const view = useMemo(() => state.view ?? follows ?? whole, [state.view, state.last, whole]);
  const seen = state.view || follows ? view : null; // null: the whole log, which the server need not be told
  const range = state.selection ?? seen;
  const where = joinFilters(state.filters);
  const common = { where, from: range && String(range.from), to: range && String(range.to) };
  const parameters = { ...common, q: state.q };

  // Counts come from indexes first; where the check of all blocks has found damage, they are asked for again.
  const [damagedAt, setDamagedAt] = useState<unknown>(null);
  const again = damagedAt === tick ? `${tick} checked` : tick;
  const timeline = useQuestion<Timeline>(
    log && withParameters('/api/timeline', { where, q: state.q, from: seen && String(view.from), to: seen && String(view.to), bins }), again);
  const totals = useQuestion<Timeline>(
    log && withParameters('/api/timeline', { ...parameters, bins: 1 }), again);
  const checked = useVerdict(timeline.data != null && totals.data != null && !timeline.loading && !totals.loading, tick);
  useEffect(() => { if (checked.verdict?.damaged) setDamagedAt(checked.at); }, [checked.verdict]);
  const sums = (totals.data?.levels ?? []).map((_, i) => totals.data!.counts.reduce((sum, c) => sum + c[i], 0));
  const selected = sums.reduce((a, b) => a + b, 0);
  const found = state.q && totals.data?.matches ? totals.data.matches.reduce((a, b) => a + b, 0) : null;

  const open = (next: Line | null) => { setLine(next); update({ open: next ? String(next.id) : '' }, false); };
  const filter = (text: string) => { if (!state.filters.includes(text)) update({ filters: [...state.filters, text] }); };
  const onLevel = (level: string) => {
    const others = state.filters.filter((f) => !/^level >= \w+$/.test(f));
    const text = `level >= ${level}`;
    update({ filters: state.filters.includes(text) ? others : [...others, text] });
  };
  // Many wheel events come within one frame: one of them asks.
  const frame = useRef(0);
  const setView = (next: Range | null) => {
    cancelAnimationFrame(frame.current);
    const all = !next || (next.from <= whole.from && next.to >= whole.to);
    frame.current = requestAnimationFrame(() => update({ view: all ? null : next, last: null }, false));
  };

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || document.querySelector('dialog[open]')) return;
      const n = Number(event.key);
      if (n >= 1 && n <= TABS.length) update({ tab: TABS[n - 1] });
      else if (event.key === '/') document.getElementById('search')?.focus();
      else if (event.key === 'f') document.getElementById('where')?.focus();
      else if (event.key === 't') document.getElementById('timeline')?.focus();
      else if (event.key === 'g') document.getElementById('list')?.focus();
      else if (event.key === 'l') update({ live: !parseFragment(location.hash).live });
      else if (event.key === '?') setDialog('help');
      else if (event.key === 'Escape') { setLine(null); update({ open: '' }, false); }
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  useEffect(() => { if (log) document.title = `${cut(log.title, 80)} – steno`; }, [log?.title]);

  if (!log) {
    return <main class="wait">{answer.error ? <p class="error" role="alert">The log cannot be read: {answer.error}</p> : <p class="dim">Reading the log…</p>}</main>;
  }
  const numbers = numbersOf(log);
  const exportOf = (as: string) => withParameters('/api/export', { ...parameters, as });
  const picture = (as: 'png' | 'svg') => {
    const canvas = document.querySelector<HTMLCanvasElement>('#latency canvas') ?? document.querySelector<HTMLCanvasElement>('#timeline canvas');
    const save = (blob: Blob | null) => {
      if (!blob) return;
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `steno.${as}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    };
    if (as === 'svg') save(canvas && new Blob([svgOf(canvas)], { type: 'image/svg+xml' }));
    else canvas?.toBlob(save);
  };
  const after = state.selection ?? halves(view).after;
  const before = state.before ?? (state.selection ? beforeOf(state.selection, whole) : halves(view).before);
  const running = log.sessions.filter((s) => s.state === 'running').length;
  const died = log.sessions.filter((s) => s.state === 'killed').length;

  return (
    <div class={'page' + (timeline.error ? ' failed' : '')} data-ready={timeline.data && !timeline.loading && !totals.loading && !answer.loading ? '1' : '0'}>
      <header class="top">
        <h1 title={log.files.map((f) => f.path).slice(0, 20).join('\n')}>{cut(log.title, 80)}</h1>
        <button class="quiet" id="about" onClick={() => setDialog('about')}>
          {formatCount(log.sessions.length)} processes{running > 0 && <>, <b>{running} running</b></>}{died > 0 && <>, <b class="bad">{died} died</b></>}
        </button>
        <VerdictButton {...checked} onClick={() => setDialog('about')} />
        <span class="gap" />
        <button class={state.live ? 'on' : ''} aria-pressed={state.live} id="live" title="Follow the log (l)" onClick={() => update({ live: !state.live })}>{state.live ? '● live' : '○ live'}</button>
        {log.control && <button id="control" onClick={() => setDialog('levels')}>levels</button>}
        <details class="menu">
          <summary>export</summary>
          <div>
            {[['text', 'text'], ['json', 'JSON lines'], ['csv', 'CSV'], ['logfmt', 'logfmt'], ['steno', 'steno log']].map(([as, name]) => <a key={as} data-as={as} href={exportOf(as)} download>{name}</a>)}
            <button onClick={() => picture('png')}>picture (PNG)</button>
            <button onClick={() => picture('svg')}>picture (SVG)</button>
          </div>
        </details>
        <button aria-label="Help: keys" title="Keys (?)" onClick={() => setDialog('help')}>?</button>
      </header>
      <Filters filters={state.filters} q={state.q} files={log.files.map((f) => f.path)} options={log} range={range} error={answer.error ? `The server does not answer: ${answer.error}` : timeline.error} found={found}
        onFilters={(filters) => update({ filters })} onSearch={(q) => update({ q }, false)} />
      <div class="when">
        <span id="range">{state.selection ? <b>selected</b> : seen ? 'seen' : 'whole log'} {rangeText(range ?? whole)}</span>
        <span class="count" id="selected" data-path={totals.path} data-count={totals.data ? selected : ''}>{totals.data ? `${formatCount(selected)} records` : '…'}</span>
        <Legend levels={totals.data?.levels ?? []} totals={sums} onLevel={onLevel} />
        {timeline.data?.more ? <span class="count" id="more-marks" title="The time line has room for some thousand marks; the worst are there. Zoom in to see the others.">{formatCount(timeline.data.more)} more marks: zoom in</span> : null}
        <span class="gap" />
        {state.selection && <button onClick={() => { const s = state.selection!; setView(s); update({ selection: null }); }} title="Zoom to the selection (Enter on the time line)">zoom in</button>}
        {state.selection && <button onClick={() => update({ selection: null })} title="Clear the selection (Esc on the time line)">clear</button>}
        <span class="group" role="group" aria-label="The last time of the log">{([[1n, 'last 1 min'], [15n, '15 min'], [60n, '1 h']] as const).map(([n, name]) => whole.to - whole.from > n * MINUTE && (
          <button key={name} class={state.last === n * MINUTE ? 'on' : ''} onClick={() => update({ view: null, selection: null, last: n * MINUTE })}>{name}</button>
        ))}</span>
        {seen && <button id="whole" onClick={() => update({ view: null, last: null, selection: null })}>whole log</button>}
      </div>
      <TimeLine data={timeline.data} loading={timeline.loading} view={view} whole={whole} selection={state.selection} before={state.tab === 'compare' ? before : null}
        height={width < 700 ? 130 : Math.min(220, Math.max(140, Math.round(innerHeight * 0.19)))} onView={setView} onSelect={(selection) => update({ selection, before: null })} />
      <nav class="tabs" role="tablist" aria-label="Parts">
        {TABS.map((tab, i) => (
          <button key={tab} role="tab" id={`tab-${tab}`} aria-selected={state.tab === tab} class={state.tab === tab ? 'on' : ''} title={`Key ${i + 1}`} onClick={() => update({ tab })}>{NAMES[tab]}</button>
        ))}
      </nav>
      <main class={state.open ? 'with-record' : ''}>
        {state.tab === 'lines' && <Lines parameters={parameters} order={state.order} by={state.quantity || numbers[0] || ''} numbers={numbers} q={state.q} open={state.open} again={tick} onOpen={open} expected={totals.loading || !totals.data ? null : found ?? selected}
          onOrder={(order, by) => update({ order, ...(by ? { quantity: by } : {}) })} />}
        {state.tab === 'breakdown' && <BreakDown log={log} parameters={parameters} by={state.by} quantity={state.quantity} again={tick} onBy={(by) => update({ by })} onQuantity={(quantity) => update({ quantity })} onFilter={filter} />}
        {state.tab === 'compare' && <Compare parameters={parameters} after={after} before={before} chosen={state.selection != null} whole={whole} again={tick} onFilter={(text) => { filter(text); update({ tab: 'lines' }); }}
          onBefore={(how) => update({ before: how === 'all' && after.from > whole.from ? { from: whole.from, to: after.from } : beforeOf(after, whole) })} />}
        {state.tab === 'latency' && <Latency log={log} parameters={parameters} range={range ?? whole} field={state.field} against={state.against} again={tick} onField={(field) => update({ field })} onAgainst={(against) => update({ against })}
          onOpen={(id) => { setLine(null); update({ open: id }, false); }}
          onCell={(text, cell) => update({ filters: [...state.filters.filter((f) => f !== text), text], selection: cell, tab: 'lines' })} />}
        {state.tab === 'threads' && <Threads range={range ?? whole} parameters={parameters} again={tick} onFilter={(text) => { filter(text); update({ tab: 'lines', order: 'newest' }); }} />}
        {state.tab === 'request' && <Request log={log} keyName={state.key} value={state.value} again={tick} onKey={(key, value) => update({ key, value })} onOpen={open} open={state.open} />}
        {state.open && <Record id={state.open} line={line && String(line.id) === state.open ? line : null} onOpen={open} onFilter={filter}
          request={(key, value) => update({ tab: 'request', key, value })} onLevel={log.control ? (l) => { setLine(l); setDialog('levels'); } : undefined} />}
      </main>
      {dialog === 'help' && <Help onClose={() => setDialog(null)} />}
      {dialog === 'about' && <About log={log} checked={checked} onClose={() => setDialog(null)} />}
      {dialog === 'levels' && <Levels log={log} line={line} onClose={() => setDialog(null)} />}
    </div>
  );
}

render(<Page />, document.getElementById('page')!);
