// Threads as lanes: when each was active, its last record, and how long it has been silent.
import { type Threads as Answer, useQuestion, withParameters } from './api';
import { Spark, useWidth } from './canvas';
import { baseName, cut } from './lines';
import { formatCount } from './scale';
import { formatClock, formatDuration, fractionOf, parseNs, type Range } from './time';

// On a phone it stands below the thread's name.
function processOf(thread: Answer['threads'][number]): string {
  return `${cut(baseName(thread.program), 60)} ${thread.pid} @${cut(thread.host, 60)}`;
}

export function Threads(props: {
  range: Range; parameters: Record<string, string | number | null | undefined>; again: unknown; onFilter: (filter: string) => void;
}) {
  const { ref, width } = useWidth<HTMLDivElement>(1000);
  const lane = Math.max(120, width - (width < 700 ? 330 : 620));
  const answer = useQuestion<Answer>(withParameters('/api/threads', { ...props.parameters, bins: Math.min(300, Math.floor(lane / 3)) }), props.again);
  const threads = answer.data?.threads ?? [];
  const length = props.range.to - props.range.from;
  const start = fractionOf(props.range, parseNs(answer.data?.from) ?? 0n);
  const part = length > 0n ? Number(parseNs(answer.data?.step) ?? 1n) / Number(length) : 0;
  return (
    <section class="panel" aria-label="Threads" ref={ref}>
      {answer.error && <p class="error" role="alert">{answer.error}</p>}
      <div class={'scroll' + (answer.loading ? ' loading' : '')}>
        <table class="wide threads" id="threads" data-path={answer.path}>
          <thead><tr><th scope="col">thread</th><th scope="col">process</th><th scope="col">activity</th><th scope="col" class="number">records</th><th scope="col" class="number">last record</th><th scope="col" class="number" title="from its last record to the end of what is seen">silent for</th></tr></thead>
          <tbody>
            {threads.map((t) => (
              <tr key={JSON.stringify([t.host, t.pid, t.tid])}>
                <td class="name" data-process={processOf(t)}>{t.filter ? <button title={cut(t.filter, 300)} onClick={() => props.onFilter(t.filter!)}>{cut(t.thread, 100)}</button> : cut(t.thread, 100)}
                  {t.thread !== String(t.tid) && <span class="dim"> {t.tid}</span>}</td>
                <td class="dim" title={cut(t.program, 300)}>{processOf(t)}</td>
                <td><Spark values={t.activity} start={start} part={part} width={lane} height={22} label={`Activity of ${cut(t.thread, 100)}`} /></td>
                <td class="number">{formatCount(t.count)}</td>
                <td class="number">{formatClock(parseNs(t.last) ?? 0n, 3)}</td>
                <td class="number gap">{formatDuration(parseNs(t.gap) ?? 0n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
