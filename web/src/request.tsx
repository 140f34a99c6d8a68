// One request: all records with one value, across threads, processes and hosts, as a waterfall.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Clocks, type Line, type Log, type Request as Answer, type Span, useQuestion, withParameters } from './api';
import { cut } from './lines';
import { formatCount } from './scale';
import { formatDuration, formatTime, fractionOf, parseNs, type Range } from './time';

// A span whose begin is not in the log begins with its end.
function beginOf(span: Span): bigint {
  return parseNs(span.begin) ?? parseNs(span.end) ?? 0n;
}

// Spans in order, each after its parent and one deeper. Parents that are not there, and circles, do no harm.
export function nest(spans: Span[]): { span: Span; depth: number }[] {
  const ids = new Set(spans.map((s) => s.id));
  const children = new Map<string, Span[]>();
  const roots: Span[] = [];
  for (const span of [...spans].sort((a, b) => (beginOf(a) < beginOf(b) ? -1 : beginOf(a) > beginOf(b) ? 1 : 0))) {
    if (span.parent != null && ids.has(span.parent) && span.parent !== span.id) {
      children.set(span.parent, [...(children.get(span.parent) ?? []), span]);
    } else roots.push(span);
  }
  const out: { span: Span; depth: number }[] = [];
  const seen = new Set<Span>();
  const visit = (span: Span, depth: number) => {
    if (seen.has(span)) return;
    seen.add(span);
    out.push({ span, depth });
    for (const child of children.get(span.id) ?? []) visit(child, depth + 1);
  };
  roots.forEach((span) => visit(span, 0));
  spans.forEach((span) => visit(span, 0)); // those in circles
  return out;
}

// A shift as people write it: "-1.7s", "300 ms". null: not understood.
export function parseShift(text: string): bigint | null {
  const m = /^\s*([+-]?)(\d{1,12})(?:\.(\d{1,9}))?\s*(ns|us|ms|s|m|min|h)\s*$/.exec(text);
  if (!m) return text.trim() === '' || text.trim() === '0' ? 0n : null;
  const size = { ns: 1n, us: 1_000n, ms: 1_000_000n, s: 1_000_000_000n, m: 60_000_000_000n, min: 60_000_000_000n, h: 3_600_000_000_000n }[m[4]]!;
  const value = BigInt(m[2]) * size + (BigInt((m[3] ?? '').padEnd(9, '0')) * size) / 1_000_000_000n;
  return m[1] === '-' ? -value : value;
}

// parseShift() reads this: "-1.70005s".
export function formatShift(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const part = String(size % 1_000_000_000n).padStart(9, '0').replace(/0+$/, '');
  return `${ns < 0n ? '-' : '+'}${size / 1_000_000_000n}${part && '.' + part}s`;
}

function textOfEstimate(clocks: Clocks): string {
  const moved = clocks.shifts.map((s) => `${s.host} ${formatShift(parseNs(s.add) ?? 0n)}${s.uncertainty == null ? '' : ` ± ${formatDuration(BigInt(Math.round(s.uncertainty)))}`}`);
  const unknown = clocks.unknown.length > 0 ? `; no estimate of ${clocks.unknown.join(', ')}` : '';
  return `${moved.length > 0 ? moved.join(', ') : 'all clocks agree'}, by ${formatCount(clocks.pairs)} pairs${unknown}`;
}

export function Request(props: {
  log: Log; keyName: string; value: string; again: unknown; onKey: (key: string, value: string) => void; onOpen: (line: Line) => void; open: string;
}) {
  const { log } = props;
  const names = log.fields.map((f) => f.name);
  const key = props.keyName || names.find((n) => /(request|trace|correlation|session).*id$/i.test(n)) || names[0] || '';
  const [shifts, setShifts] = useState<Record<string, string>>({});
  const [estimate, setEstimate] = useState<{ text: string; wrong: boolean; title?: string } | null>(null);
  const ended = useRef<AbortController | null>(null);
  useEffect(() => () => ended.current?.abort(), []);
  const estimateShifts = () => {
    ended.current?.abort();
    ended.current = new AbortController();
    setEstimate({ text: 'estimating…', wrong: false });
    ask<Clocks>('/api/clocks', ended.current.signal).then((clocks) => {
      setShifts(Object.fromEntries(clocks.shifts.map((s) => [s.host, formatShift(parseNs(s.add) ?? 0n)])));
      setEstimate({ text: textOfEstimate(clocks), wrong: false, title: clocks.statements });
    }, (error: Error) => { if (error.name !== 'AbortError') setEstimate({ text: error.message, wrong: true }); });
  };
  const answer = useQuestion<Answer>(key && props.value !== '' ? withParameters('/api/request', { key, value: props.value }) : null, props.again);
  const data = answer.data;
  const shift = (host: string) => parseShift(shifts[host] ?? '') ?? 0n;
  const lines = (data?.lines ?? []).map((line) => ({ line, at: (parseNs(line.time) ?? 0n) + shift(line.host) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const hosts = [...new Set(lines.map(({ line }) => line.host))];
  let from = lines[0]?.at ?? 0n;
  let to = (lines[lines.length - 1]?.at ?? 1n) + 1n;
  for (const s of data?.spans ?? []) {
    const begin = beginOf(s) + shift(s.host);
    const end = s.end != null ? (parseNs(s.end) ?? to) + shift(s.host) : begin;
    if (begin < from) from = begin;
    if (end > to) to = end;
  }
  const range: Range = { from, to };
  const percent = (at: bigint) => `${Math.max(0, Math.min(100, 100 * fractionOf(range, at)))}%`;
  const lanes = new Map<string, { name: string; title: string; items: typeof lines }>();
  for (const item of lines) {
    const { host, program, pid, tid, thread } = item.line;
    const id = JSON.stringify([host, program, pid, tid, thread]);
    if (!lanes.has(id)) lanes.set(id, { name: `${program}@${host} ${thread}`, title: `${program} (process ${pid} on ${host}), thread ${thread} (${tid})`, items: [] });
    lanes.get(id)!.items.push(item);
  }
  return (
    <section class="panel" aria-label="One request">
      <form class="bar" onSubmit={(e) => { e.preventDefault(); const f = e.currentTarget; props.onKey((f.elements.namedItem('key') as HTMLSelectElement).value, (f.elements.namedItem('value') as HTMLInputElement).value); }}>
        <label>key <select name="key" id="key" value={key}>{names.map((n) => <option key={n} value={n}>{n}</option>)}</select></label>
        <label>value <input name="value" id="value" value={props.value} placeholder="e.g. 4711" /></label>
        <button>show</button>
        {data?.more && <span class="bad">only the first records</span>}
        {lines.length > 0 && <span class="count">{formatCount(lines.length)} records, {formatDuration(to - from)}, {formatCount(lanes.size)} threads, {formatCount(hosts.length)} hosts</span>}
        {hosts.length > 1 && hosts.map((host) => (
          <label key={host} title="added to the times of this host, here only">{cut(host, 40)} <input class={'short' + (parseShift(shifts[host] ?? '') == null ? ' wrong' : '')} placeholder="+0 s" value={shifts[host] ?? ''}
            onInput={(e) => setShifts({ ...shifts, [host]: e.currentTarget.value })} /></label>
        ))}
        {hosts.length > 1 && <button type="button" id="estimate" title="what the log says of the clocks of its hosts, as --shift auto" onClick={estimateShifts}>estimate</button>}
        {hosts.length > 1 && estimate && <span id="estimated" role={estimate.wrong ? 'alert' : 'status'} class={estimate.wrong ? 'bad' : 'dim'} title={estimate.title}>{cut(estimate.text, 400)}</span>}
      </form>
      {answer.error && <p class="error" role="alert">{answer.error}</p>}
      {!props.value && <p class="empty">Choose a key and give a value, or press ⇶ beside a field of a record.</p>}
      {data && lines.length === 0 && <p class="empty">No record has this value.</p>}
      {lines.length > 0 && <div class={'scroll waterfall' + (answer.loading ? ' loading' : '')} id="request" data-path={answer.path}>
        <div class="lanes">
          {nest(data!.spans).map(({ span, depth }, i) => {
            const begin = span.begin != null ? beginOf(span) + shift(span.host) : from;
            const end = span.end != null ? (parseNs(span.end) ?? to) + shift(span.host) : null;
            return (
              <div class="lane span" key={i}><span class="who" style={{ paddingLeft: `${8 + 12 * Math.min(depth, 12)}px` }} title={`${span.program}@${span.host} ${span.thread}`}>{cut(span.name, 80)}</span>
                <div class="track"><i class={'bar' + (end == null || span.begin == null ? ' endless' : '')} style={{ left: percent(begin), width: `max(2px, calc(${percent(end ?? to)} - ${percent(begin)}))` }} title={end == null ? 'without an end' : span.begin == null ? 'without a begin' : formatDuration(end - begin)} />
                  <span class="took" style={{ left: percent(begin) }}>{end == null ? 'no end' : span.begin == null ? 'no begin' : formatDuration(end - begin)}</span></div></div>
            );
          })}
          {[...lanes].map(([id, lane]) => (
            <div class="lane" key={id}><span class="who" title={cut(lane.title)}>{cut(lane.name, 80)}</span>
              <div class="track">
                <i class="bar thread" style={{ left: percent(lane.items[0].at), width: `max(2px, calc(${percent(lane.items[lane.items.length - 1].at)} - ${percent(lane.items[0].at)}))` }} />
                {lane.items.slice(0, 500).map(({ line, at }) => <button key={line.id} class={`point ${line.level}`} style={{ left: percent(at) }} title={cut(line.message, 200)} aria-label={`${line.level} ${cut(line.message, 200)}`} onClick={() => props.onOpen(line)} />)}
              </div></div>
          ))}
        </div>
        <table class="wide steps">
          <thead><tr><th scope="col" class="number">after</th><th scope="col" class="number">step</th><th scope="col">where</th><th scope="col">level</th><th scope="col">message</th></tr></thead>
          <tbody>
            {lines.map(({ line, at }, i) => (
              <tr key={line.id} class={`${line.level}${String(line.id) === props.open ? ' open' : ''}`} onClick={() => props.onOpen(line)}>
                <td class="number" title={formatTime(at)}>{formatDuration(at - from)}</td>
                <td class="number dim">{i > 0 ? '+' + formatDuration(at - lines[i - 1].at) : ''}</td>
                <td class="dim">{cut(line.program, 40)}@{cut(line.host, 40)} {cut(line.thread, 60)}</td>
                <td class="level">{line.level}</td>
                <td class="message"><button onClick={() => props.onOpen(line)}>{cut(line.message, 300)}</button></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>}
    </section>
  );
}
