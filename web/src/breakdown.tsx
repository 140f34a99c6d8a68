// Break down by any field: one row a value, which a click makes a filter.
import { useState } from 'preact/hooks';
import { type Breakdown as Answer, type Log, type Row, useQuestion, withParameters } from './api';
import { Spark } from './canvas';
import { cut, valueText } from './lines';
import { formatCount, formatPercent, formatValue } from './scale';
import { equals } from './where';

type Parameters = Record<string, string | number | null | undefined>;
const BUILT_IN = ['statement', 'logger', 'level', 'thread', 'program', 'host'];

export function fieldNames(log: Log): string[] {
  return [...BUILT_IN, ...log.fields.map((f) => f.name).filter((n) => !BUILT_IN.includes(n))];
}

export function numbersOf(log: Log): string[] {
  return log.fields.filter((f) => f.kind !== 'text').map((f) => f.name);
}

export function unitOf(log: Log, field: string): string {
  return log.fields.find((f) => f.name === field)?.unit ?? '';
}

export function filterOf(by: string, row: Row): string {
  if (row.filter) return row.filter;
  if (by === 'statement') return equals('site', row.site ?? valueText(row.value));
  if (row.value == null) return `{${by}} is null`;
  return equals(by, row.value, BUILT_IN.includes(by) ? false : undefined);
}

type Column = 'count' | 'errors' | 'p50' | 'p99';

export function BreakDown(props: {
  log: Log; parameters: Parameters; by: string; quantity: string; again: unknown;
  onBy: (by: string) => void; onQuantity: (quantity: string) => void; onFilter: (filter: string) => void;
}) {
  const { log, by, quantity } = props;
  const answer = useQuestion<Answer>(
    withParameters('/api/breakdown', { ...props.parameters, by, quantity, limit: 100, bins: 40 }), props.again);
  const [sort, setSort] = useState<Column>('count');
  const unit = answer.data?.unit ?? unitOf(log, quantity);
  const rows = [...(answer.data?.rows ?? [])];
  const of = (row: Row) => (sort === 'errors' ? row.errors / Math.max(1, row.count) : (row[sort] ?? -Infinity));
  if (sort !== 'count') rows.sort((a, b) => of(b) - of(a));
  const all = rows.reduce((sum, r) => sum + r.count, 0) + (answer.data?.others.count ?? 0);
  const most = Math.max(1, ...rows.map((r) => r.count));
  const head = (column: Column, text: string) => (
    <th scope="col" class="number" aria-sort={sort === column ? 'descending' : 'none'}>
      <button class={sort === column ? 'on' : ''} onClick={() => setSort(column)}>{text}{sort === column ? ' ↓' : ''}</button>
    </th>
  );
  return (
    <section class="panel" aria-label="Break down">
      <div class="bar">
        <label>by <select id="by" value={by} onChange={(e) => props.onBy(e.currentTarget.value)}>
          {fieldNames(log).map((n) => <option key={n} value={n}>{n}</option>)}
        </select></label>
        <label>quantity <select id="quantity" value={quantity} onChange={(e) => props.onQuantity(e.currentTarget.value)}>
          <option value="">none</option>
          {numbersOf(log).map((n) => <option key={n} value={n}>{n}</option>)}
        </select></label>
        <span class="dim">A click on a value shows only its records.</span>
      </div>
      {answer.error && <p class="error" role="alert">{answer.error}</p>}
      <div class={'scroll' + (answer.loading ? ' loading' : '')}>
        <table class="wide" id="breakdown" data-path={answer.path}>
          <thead><tr>
            <th scope="col">{by}</th>{head('count', 'records')}<th scope="col" class="number">share</th>{head('errors', 'errors')}
            {quantity && head('p50', `p50 of ${quantity}`)}{quantity && head('p99', `p99 of ${quantity}`)}<th scope="col">over time</th>
          </tr></thead>
          <tbody>
            {rows.map((row, i) => {
              const name = cut(valueText(row.value), 400);
              return (
                <tr key={i}>
                  <td class="name"><button onClick={() => props.onFilter(filterOf(by, row))} title={cut(filterOf(by, row), 300)}>{name === '' ? '(empty)' : name}</button>
                    {by === 'statement' && row.site && <span class="dim"> {cut(row.site, 100)}</span>}</td>
                  <td class="number count"><i class="share" style={{ width: `${(60 * row.count) / most}px` }} />{formatCount(row.count)}</td>
                  <td class="number">{formatPercent(row.count, all)}</td>
                  <td class={'number errors' + (row.errors > 0 ? ' bad' : '')} title={`${formatCount(row.errors)} of ${formatCount(row.count)}`}>{row.errors > 0 ? `${formatCount(row.errors)} (${formatPercent(row.errors, row.count)})` : '0'}</td>
                  {quantity && <td class="number p50">{formatValue(row.p50, row.p50 == null ? '' : unit)}</td>}
                  {quantity && <td class="number p99">{formatValue(row.p99, row.p99 == null ? '' : unit)}</td>}
                  <td><Spark values={row.spark ?? []} label={`Records of ${name} over time`} /></td>
                </tr>
              );
            })}
            {(answer.data?.others.count ?? 0) > 0 && (
              <tr class="dim"><td>others</td><td class="number">{formatCount(answer.data!.others.count)}</td><td class="number">{formatPercent(answer.data!.others.count, all)}</td></tr>
            )}
          </tbody>
        </table>
        {!answer.loading && !answer.error && rows.length === 0 && <p class="empty">No record fits.</p>}
      </div>
    </section>
  );
}
