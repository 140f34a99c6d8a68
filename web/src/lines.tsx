// The lines: a virtual list that asks for pages as one scrolls.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ask, type Line, type Lines as Answer, type Timeline, useQuestion, withParameters } from './api';
import { fontSize, useWidth } from './canvas';
import { visibleRows } from './pages';
import { formatCount } from './scale';
import { FromBeginning, type Rows, Scroll, Segments, segmentsOf } from './segments';
import type { Order } from './state';
import { formatClock, formatDate, formatTime, parseNs } from './time';

const PAGE = 200;

// The text with what is searched marked; text nodes only. Case counts, as the server's search does.
export function Marked({ text, q }: { text: string; q: string }) {
  if (q === '' || !text.includes(q)) return <>{text}</>;
  const parts = text.split(q);
  return <>{parts.map((part, i) => (i === 0 ? part : [<mark key={i}>{q}</mark>, part]))}</>;
}

// Rows show the beginning of a text: megabytes in one row help nobody, and would stall the page.
export function cut(text: string, most = 600): string {
  return text.length > most ? text.slice(0, most) + '…' : text;
}

// A program without the folders before its name: some log their whole path.
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1) || program;
}

// Line ends and tabs of a message as one row.
function oneLine(text: string): string {
  return cut(text).replace(/[\r\n\t]+/g, ' ⏎ ');
}

export function valueText(value: unknown): string {
  return value == null ? '–' : typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

type Props = {
  parameters: Record<string, string | number | null | undefined>; // from, to, where, q
  order: Order;
  by: string; // of `slowest`
  numbers: string[];
  q: string;
  open: string;
  again: unknown;
  expected: number | null; // how many there are, where it is known already
  onOpen: (line: Line | null) => void;
  onOrder: (order: Order, by?: string) => void;
};

export function Lines(props: Props) {
  const { order, by, q, open, onOpen } = props;
  const base = useMemo(
    () => withParameters('/api/lines', { ...props.parameters, order, by: order === 'slowest' ? by : undefined, limit: PAGE }),
    [JSON.stringify(props.parameters), order, by],
  );
  // The pages that are shown, and the question that they answer: the old ones until the first page of new ones is there.
  const shown = useRef<{ base: string; pages: Rows<Line> }>({ base: '', pages: new FromBeginning<Line>() });
  const controller = useRef<AbortController | null>(null);
  const asked = useRef('');
  const [version, setVersion] = useState(0);
  const [error, setError] = useState('');
  const [counted, setTotal] = useState<number | null>(null);
  const [loading, setLoading] = useState(true);
  const [stale, setStale] = useState(false);
  const [current, setCurrent] = useState(0);
  const [scrollTop, setScrollTop] = useState(0);
  const { ref, width, height } = useWidth<HTMLDivElement>(1000);
  const narrow = width < 700;
  const tight = width < 1000;
  const rowHeight = Math.round(fontSize() * (narrow ? 3.55 : 1.85));

  const load = useCallback((of: { base: string; pages: Rows<Line> }, first: number, last: number) => {
    const wanted = of.pages.wanted(first, last, PAGE / 2);
    const name = wanted ? `${of.base} ${wanted.segment} ${wanted.page}` : '';
    if (!wanted || (asked.current === name && of === shown.current)) return;
    controller.current?.abort();
    const mine = (controller.current = new AbortController());
    asked.current = name;
    setLoading(true);
    const question = new URLSearchParams(of.base.split('?')[1]);
    if (wanted.range) {
      question.set('from', String(wanted.range.from));
      question.set('to', String(wanted.range.to));
    }
    if (wanted.cursor != null) question.set('cursor', wanted.cursor);
    // On the way to a row far inside a stretch, pages are longer.
    if (wanted.range && wanted.page > 1) question.set('limit', String(10 * PAGE));
    const path = `/api/lines?${question}`;
    ask<Answer>(path, mine.signal).then(
      (answer) => {
        asked.current = '';
        of.pages.put(wanted, answer.lines, answer.next);
        if (of !== shown.current) {
          if (of.base !== shown.current.base) {
            if (ref.current) ref.current.scrollTop = 0;
            setScrollTop(0);
            setCurrent(0);
          }
          shown.current = of;
        }
        if (wanted.range) setTotal(of.pages.rows);
        else if (wanted.page === 0 || answer.total != null) setTotal(answer.total); // later pages need not say it again
        setError('');
        setLoading(false);
        setVersion((v) => v + 1);
      },
      (e: Error) => {
        if (mine.signal.aborted) return;
        asked.current = '';
        setError(e.message);
        setLoading(false);
      },
    );
  }, []);

  useEffect(() => {
    setStale(false);
    load({ base, pages: new FromBeginning<Line>() }, 0, PAGE);
  }, [base]);
  // The log has grown: what one reads does not move.
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else if ((ref.current?.scrollTop ?? 0) < rowHeight && !open) load({ base, pages: new FromBeginning<Line>() }, 0, PAGE);
    else setStale(true);
  }, [props.again]);
  useEffect(() => () => controller.current?.abort(), []);

  // The counts that lead to any place of the list. Until they are there, it begins at its beginning.
  const ordered = order !== 'slowest';
  const index = useQuestion<Timeline>(ordered ? withParameters('/api/timeline', { ...props.parameters, bins: 1000 }) : null, props.again);
  const reach = useRef<Timeline | null>(null);
  const top = useRef<{ scrollTop: number; row: number } | null>(null); // the row at the top, more exactly than the scroll bar has it
  const rows = shown.current.pages.rows;
  const scroll = new Scroll(rows, rowHeight, height || 600);
  const topRow = top.current && top.current.scrollTop === scrollTop ? top.current.row : scroll.rowAt(scrollTop);
  const seen = visibleRows(topRow * rowHeight, height || 600, rowHeight, rows);
  useEffect(() => {
    if (!index.data || index.loading || reach.current === index.data || !ordered) return;
    reach.current = index.data;
    const within = { from: parseNs(String(props.parameters.from ?? '')) ?? -(1n << 62n), to: parseNs(String(props.parameters.to ?? '')) ?? 1n << 62n };
    const counts = index.data.matches ?? index.data.counts.map((c) => c.reduce((a, b) => a + b, 0));
    const segments = segmentsOf(parseNs(index.data.from) ?? 0n, parseNs(index.data.step) ?? 1n, counts, within, 2 * PAGE);
    if (order === 'newest') segments.reverse();
    const pages = new Segments<Line>(segments);
    const same = shown.current.base === base; // then one may have scrolled already
    if (pages.rows > PAGE) load({ base, pages }, same ? seen.first : 0, same ? Math.max(seen.last, 1) : PAGE);
  }, [index.data, index.loading, base]);
  const goTo = (row: number) => {
    const box = ref.current;
    if (!box) return;
    box.scrollTop = scroll.topOf(row);
    top.current = { scrollTop: box.scrollTop, row: Math.max(0, Math.min(row, rows - box.clientHeight / rowHeight)) };
    setScrollTop(box.scrollTop);
    setVersion((v) => v + 1);
  };
  const wheel = useRef<(event: WheelEvent) => void>(() => undefined);
  wheel.current = (event) => {
    if (!scroll.isScaled || event.ctrlKey) return; // else the browser scrolls
    event.preventDefault();
    goTo(topRow + (event.deltaMode === 1 ? event.deltaY : event.deltaY / rowHeight));
  };
  useEffect(() => {
    const box = ref.current!;
    const listen = (event: WheelEvent) => wheel.current(event);
    box.addEventListener('wheel', listen, { passive: false });
    return () => box.removeEventListener('wheel', listen);
  }, []);
  const total = counted ?? (shown.current.pages.complete ? rows : order !== 'slowest' ? props.expected : null);
  useEffect(() => { if (rows > 0 && shown.current.base === base) load(shown.current, seen.first, seen.last); }, [seen.first, seen.last, version]);

  const lines: { index: number; line: Line | undefined }[] = [];
  for (let i = seen.first; i < seen.last; i++) lines.push({ index: i, line: shown.current.pages.row(i) });

  // Fields of context as columns: those of the lines that are seen.
  const columns = useMemo(() => {
    const names: string[] = [];
    for (const { line } of lines) for (const c of line?.context ?? []) if (!names.includes(c.name) && names.length < 3) names.push(c.name);
    return names;
  }, [version, seen.first]);
  const programs = new Set(lines.map(({ line }) => line && `${line.program} ${line.host} ${line.pid}`));
  const several = programs.size > 1;

  const show = (index: number) => {
    const fit = (height || 600) / rowHeight;
    if (index < topRow) goTo(index);
    else if (index + 1 > topRow + fit) goTo(index + 1 - fit);
  };
  const key = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((height || 300) / rowHeight) - 1);
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page };
    let next = current;
    if (event.key in by && !event.ctrlKey && !event.metaKey) next = current + by[event.key];
    else if (event.key === 'Home') next = 0;
    else if (event.key === 'End') next = rows - 1;
    else if (event.key === 'Enter') {
      const line = shown.current.pages.row(current);
      if (line) onOpen(line);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    next = Math.max(0, Math.min(rows - 1, next));
    setCurrent(next);
    show(next);
    if (open) {
      const line = shown.current.pages.row(next);
      if (line) onOpen(line);
    }
  };

  const template = narrow ? undefined
    : { gridTemplateColumns: `9em 5.4em ${several ? (tight ? '7em ' : '10em ') : ''}${tight ? '5em 5em' : '7em 8em'} ${columns.map(() => (tight ? '5em' : '7em')).join(' ')} minmax(0, 1fr)` };
  let date = '';
  const firstSeen = shown.current.pages.row(Math.floor(topRow));
  if (firstSeen) date = formatDate(parseNs(firstSeen.time) ?? 0n);

  return (
    <section class="lines" aria-label="Lines">
      <div class="bar">
        <div class="group" role="radiogroup" aria-label="Order of lines">
          {(['oldest', 'newest', 'slowest'] as Order[]).map((o) => (
            <button key={o} role="radio" aria-checked={order === o} class={order === o ? 'on' : ''}
              disabled={o === 'slowest' && props.numbers.length === 0} onClick={() => props.onOrder(o)}>{o} first</button>
          ))}
          {order === 'slowest' && (
            <select aria-label="Quantity of slowest first" value={by} onChange={(e) => props.onOrder('slowest', e.currentTarget.value)}>
              {props.numbers.map((n) => <option key={n}>{n}</option>)}
            </select>
          )}
        </div>
        <span class="count" id="lines-total" data-count={total ?? rows} aria-live="polite">
          {total != null ? `${formatCount(total)} lines` : rows > 0 ? `${formatCount(rows)}${shown.current.pages.complete ? '' : '+'} lines` : loading ? 'asking…' : 'no lines'}
        </span>
        <span class="dim">{date}</span>
        {stale && <button class="hint" onClick={() => { setStale(false); if (ref.current) ref.current.scrollTop = 0; load({ base, pages: new FromBeginning<Line>() }, 0, PAGE); }}>The log has grown: show</button>}
      </div>
      {!narrow && (
        <div class="row head" style={template} aria-hidden="true">
          <span>time (UTC)</span><span>level</span>{several && <span>process</span>}<span>logger</span><span>thread</span>
          {columns.map((c) => <span key={c}>{c}</span>)}<span>message</span>
        </div>
      )}
      <div ref={ref} class={'list' + (loading ? ' loading' : '')} id="list" data-path={shown.current.base} tabIndex={0} role="grid" aria-label="Log lines; arrow keys move, Enter shows all fields"
        aria-rowcount={total ?? -1} onScroll={(e) => setScrollTop(e.currentTarget.scrollTop)} onKeyDown={key}
        aria-activedescendant={`row${current}`}>
        {error && <p class="error" role="alert">{error}</p>}
        {!error && !loading && rows === 0 && <p class="empty">No record fits. Widen the time, or remove a filter.</p>}
        <div style={{ height: `${scroll.pixels}px`, position: 'relative' }} role="presentation">
          {lines.map(({ index, line }) => (
            <div key={index} id={`row${index}`} role="row" aria-rowindex={index + 1} aria-selected={index === current} data-id={line?.id}
              class={`row${line ? ' ' + line.level : ' missing'}${index === current ? ' current' : ''}${line && String(line.id) === open ? ' open' : ''}`}
              style={{ ...template, top: `${scroll.isScaled ? scrollTop + (index - topRow) * rowHeight : index * rowHeight}px`, height: `${rowHeight}px` }}
              onClick={() => { setCurrent(index); if (line) onOpen(line); }}>
              {line ? (
                <>
                  <span role="gridcell" class="time" title={formatTime(parseNs(line.time) ?? 0n)}>{formatClock(parseNs(line.time) ?? 0n, narrow ? 3 : 6)}</span>
                  <span role="gridcell" class="level">{line.level}</span>
                  {several && <span role="gridcell" class="dim" title={`${line.program} ${line.pid} on ${line.host}`}>{cut(baseName(line.program), 60)}@{cut(line.host, 60)}</span>}
                  <span role="gridcell" class="dim logger" title={cut(line.logger)}>{cut(line.logger, 60)}</span>
                  <span role="gridcell" class="dim thread" title={cut(line.thread)}>{cut(line.thread, 60)}</span>
                  {!narrow && columns.map((name) => {
                    const found = line.context.find((c) => c.name === name);
                    return <span key={name} role="gridcell" class="context" title={found && `${name}=${cut(valueText(found.value))}`}>{found ? cut(valueText(found.value), 60) : ''}</span>;
                  })}
                  <span role="gridcell" class="message"><Marked text={oneLine(line.message)} q={q} /></span>
                </>
              ) : <span class="dim">…</span>}
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
