// One record with all its fields, and its neighbours of the same thread.
import { type Line, type Lines, useQuestion, withParameters } from './api';
import { cut, valueText } from './lines';
import { formatDuration, formatTime, parseNs } from './time';
import { equals } from './where';

type Props = {
  id: string;
  line: Line | null; // if it is known already
  request: (key: string, value: string) => void;
  onFilter: (filter: string) => void;
  onOpen: (line: Line | null) => void;
  onLevel?: (line: Line) => void; // only with control
};

function Row({ name, text, filter, more, onFilter }: { name: string; text: string; filter?: [string, string]; more?: preact.ComponentChildren; onFilter: (f: string) => void }) {
  return (
    <tr>
      <th scope="row">{cut(name, 200)}</th>
      <td class="value"><div>{cut(text, 20_000)}</div></td>
      <td class="acts">
        {more}
        {filter && <button title={`Only ${cut(filter[0], 300)}`} aria-label={`Only records with this ${name}`} onClick={() => onFilter(filter[0])}>=</button>}
        {filter && <button title={`Not: ${cut(filter[1], 300)}`} aria-label={`Only records without this ${name}`} onClick={() => onFilter(filter[1])}>≠</button>}
      </td>
    </tr>
  );
}

export function Record(props: Props) {
  const { id, onFilter, onOpen } = props;
  const around = useQuestion<Lines>(withParameters('/api/lines', { around: id, limit: 15 }));
  // Long texts come cut in lists.
  const full = useQuestion<Lines>(props.line?.cut || around.data?.lines.some((l) => String(l.id) === id && l.cut) ? withParameters('/api/lines', { id }) : null);
  const line = full.data?.lines[0] ?? props.line ?? around.data?.lines.find((l) => String(l.id) === id) ?? null;
  const neighbours = around.data?.lines ?? [];
  if (!line) {
    return <aside class="record" aria-label="Record">{around.error ? <p class="error" role="alert">{around.error}</p> : <p class="dim">asking…</p>}
      <button class="close" aria-label="Close" onClick={() => onOpen(null)}>×</button></aside>;
  }
  const time = parseNs(line.time) ?? 0n;
  const both = (field: string, value: string | number | boolean, argument?: boolean): [string, string] =>
    [equals(field, value, argument), equals(field, value, argument, true)];
  const filterable = (value: unknown): value is string | number | boolean =>
    typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= 2000);
  const copy = () => navigator.clipboard?.writeText(`${formatTime(time)} ${line.level} [${line.thread}] ${line.site} ${line.message}`).catch(() => undefined);
  return (
    <aside class="record" id="record" aria-label={`Record of ${formatTime(time)}`} onKeyDown={(e) => { if (e.key === 'Escape') { onOpen(null); document.getElementById('list')?.focus(); e.stopPropagation(); } }}>
      <header>
        <b class={`badge ${line.level}`}>{line.level}</b>
        <time>{formatTime(time)}</time>
        <button class="quiet" onClick={copy}>copy</button>
        <button class="close" aria-label="Close" title="Close (Esc)" onClick={() => onOpen(null)}>×</button>
      </header>
      <pre class="message">{cut(line.message, 100_000)}</pre>
      <table>
        <tbody>
          {line.args.map((a) => (
            <Row key={'a' + a.name} name={a.name} text={a.unit ? `${valueText(a.value)} ${a.unit}` : valueText(a.value)} onFilter={onFilter}
              filter={filterable(a.value) && !a.unit ? both(a.name, a.value, true) : undefined}
              more={typeof a.value === 'string' || typeof a.value === 'number' ? <button title={`All lines with this ${cut(a.name, 60)}, as one request`} onClick={() => props.request(a.name, String(a.value))}>⇶</button> : null} />
          ))}
          {line.context.map((c) => (
            <Row key={'c' + c.name} name={c.name} text={valueText(c.value)} onFilter={onFilter} filter={filterable(c.value) ? both(c.name, c.value, true) : undefined}
              more={<button title={`All lines with this ${cut(c.name, 60)}, as one request`} aria-label={`One request: all lines with this ${c.name}`} onClick={() => props.request(c.name, valueText(c.value))}>⇶</button>} />
          ))}
          {line.logger !== '' && <Row name="logger" text={line.logger} filter={both('logger', line.logger)} onFilter={onFilter} />}
          <Row name="thread" text={line.thread} filter={both('thread', line.thread)} onFilter={onFilter} />
          <Row name="program" text={`${line.program} (process ${line.pid})`} filter={both('program', line.program)} onFilter={onFilter} />
          <Row name="host" text={line.host} filter={both('host', line.host)} onFilter={onFilter} />
          <Row name="statement" text={line.site || `${line.file}:${line.line}`} filter={both('site', line.site)} onFilter={onFilter}
            more={props.onLevel ? <button title="Switch this statement on or off" onClick={() => props.onLevel!(line)}>⇅</button> : null} />
          <Row name="source" text={`${line.file}:${line.line}`} onFilter={onFilter} />
          {line.text && <Row name="format" text={line.text} onFilter={onFilter} />}
        </tbody>
      </table>
      <h3>Before and after, in the same thread</h3>
      {around.error && <p class="error" role="alert">{around.error}</p>}
      <ol class="neighbours">
        {neighbours.map((n) => {
          const gap = (parseNs(n.time) ?? 0n) - time;
          const me = String(n.id) === id;
          return (
            <li key={n.id} class={`${n.level}${me ? ' open' : ''}`}>
              <button onClick={() => onOpen(n)} aria-current={me}>
                <span class="gap">{me ? '0' : (gap > 0n ? '+' : '') + formatDuration(gap)}</span>
                <span class="level">{n.level}</span>
                <span>{cut(n.message, 300)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </aside>
  );
}
