// The selection against the time before it: what is new, what is gone, what has changed.
import { type Diff, useQuestion, withParameters } from './api';
import { cut, valueText } from './lines';
import { formatCount, formatValue } from './scale';
import { formatClock, formatDuration, type Range } from './time';
import { equals } from './where';

// The time directly before a range, as long as it, within the log.
export function beforeOf(range: Range, whole: Range): Range | null {
  const length = range.to - range.from;
  const from = range.from - length < whole.from ? whole.from : range.from - length;
  return from < range.from ? { from, to: range.from } : null;
}

// Without a selection: the second half of what is seen against its first.
export function halves(view: Range): { before: Range; after: Range } {
  const middle = view.from + (view.to - view.from) / 2n;
  return { before: { from: view.from, to: middle }, after: { from: middle, to: view.to } };
}

function rangeText(range: Range): string {
  return `${formatClock(range.from, 3)} – ${formatClock(range.to, 3)} (${formatDuration(range.to - range.from)})`;
}

export function ratioText(before: number, after: number, ratio: number | null): string {
  const r = ratio ?? (before > 0 ? after / before : null);
  if (r == null || !Number.isFinite(r)) return 'new';
  return r >= 1 ? `× ${formatValue(Number(r.toPrecision(3)))}` : r > 0 ? `÷ ${formatValue(Number((1 / r).toPrecision(3)))}` : 'gone';
}

export function Compare(props: {
  parameters: Record<string, string | number | null | undefined>; after: Range; before: Range | null; chosen: boolean;
  again: unknown; onFilter: (filter: string) => void; onBefore: (how: 'directly' | 'all') => void; whole: Range;
}) {
  const { after, before } = props;
  const answer = useQuestion<Diff>(before && withParameters('/api/diff', {
    ...props.parameters, from: String(after.from), to: String(after.to), before_from: String(before.from), before_to: String(before.to),
  }), props.again);
  const d = answer.data;
  const statement = (s: { site: string; text: string }) => (
    <td class="name"><button title={`Only ${cut(s.site)}`} onClick={() => props.onFilter(equals('site', s.site))}>{cut(s.text, 400)}</button> <span class="dim">{cut(s.site, 100)}</span></td>
  );
  return (
    <section class="panel" aria-label="Compare">
      <div class="bar">
        <span>{d && <span class="count">{formatCount(d.after.records)} records against {formatCount(d.before.records)}: </span>}<b>{rangeText(after)}</b> against {before ? rangeText(before) : 'nothing: the log begins with the selection'}</span>
        <div class="group">
          <button onClick={() => props.onBefore('directly')}>as long, directly before</button>
          <button onClick={() => props.onBefore('all')}>all before</button>
        </div>
        {!props.chosen && <span class="hint">Drag on the time line over what went wrong; it is then compared with the time before.</span>}
      </div>
      {answer.error && <p class="error" role="alert">{answer.error}</p>}
      <div class={'scroll' + (answer.loading ? ' loading' : '')} id="compare" data-path={answer.path}>
        {d && <>
          <h3>New statements <b>{formatCount(d.new.length)}</b></h3>
          {d.new.length > 0 && <table class="wide new"><tbody>
            {d.new.map((s, i) => <tr key={i}>{statement(s)}<td class="number">{formatCount(s.count)}</td></tr>)}
          </tbody></table>}
          <h3>Changed <b>{formatCount(d.changed.length)}</b></h3>
          {d.changed.length > 0 && <table class="wide changed">
            <thead><tr><th scope="col">statement</th><th scope="col" class="number">before</th><th scope="col" class="number">after</th><th scope="col" class="number">rate</th></tr></thead>
            <tbody>
              {d.changed.map((c, i) => (
                <>
                  <tr key={i}>{statement(c)}<td class="number">{formatCount(c.before)}</td><td class="number">{formatCount(c.after)}</td>
                    <td class={'number' + ((c.ratio ?? 1) >= 1.5 ? ' bad' : '')}>{c.ratio == null ? '' : ratioText(c.before, c.after, c.ratio)}</td></tr>
                  {(c.numbers ?? []).map((n) => (
                    <tr key={`${i}n${n.field}`} class="detail"><td>{n.value} of {n.field}</td>
                      <td class="number">{cut(n.before, 60)}</td><td class="number">{cut(n.after, 60)}</td><td /></tr>
                  ))}
                  {(c.values ?? []).map((v, k) => (
                    <tr key={`${i}v${k}`} class="detail">
                      <td class="name"><button onClick={() => props.onFilter(v.value == null ? `{${v.field}} is null` : equals(v.field, v.value, true))}>{v.field} = {cut(valueText(v.value), 200)}</button></td>
                      <td class="number">{cut(v.before, 60)}</td><td class="number">{cut(v.after, 60)}</td><td /></tr>
                  ))}
                </>
              ))}
            </tbody></table>}
          <h3>Gone <b>{formatCount(d.gone.length)}</b></h3>
          {d.gone.length > 0 && <table class="wide gone"><tbody>
            {d.gone.map((s, i) => <tr key={i}>{statement(s)}<td class="number">{formatCount(s.count)}</td></tr>)}
          </tbody></table>}
        </>}
      </div>
    </section>
  );
}
