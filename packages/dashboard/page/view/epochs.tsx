import type { EpochGap } from 'mempool-sequencer';
import type { EpochWorker, ShownEpoch } from 'mempool-sequencer/server';
import type { VNode } from 'preact';
import { formatCount, formatShare } from '../format/numbers.ts';
import { formatAge, formatClock, formatDate } from '../format/times.ts';
import { foreignText, shortHash } from '../format/words.ts';
import { phaseSteps, windowLeft } from '../state/epochs.ts';
import type { WireSummary } from '../wire/answers.ts';
import { Table, TableBox } from './table.tsx';
import { useField } from './use-dashboard.ts';
import { useNow } from './use-now.ts';

const staleMs = 60_000;

/** The epochs that the server watches: the current one, the validators, what is missing. Nothing where it watches none. */
export function Epochs(): VNode | null {
  const { summary, gaps, workers, recent, aheadMs } = useField('epochs');
  const now = useNow() + aheadMs;
  if (summary === null) return null;
  const ageMs = now - summary.generatedAt;
  return (
    <section class="part epochs" aria-labelledby="epochs">
      <div class="part-head">
        <h2 id="epochs">Epochs</h2>
        <p class="about">
          {foreignText(summary.protocol)} · {foreignText(summary.market)} ·{' '}
          <span data-field="epochs.lastDay">{formatCount(summary.lastDay.epochs)}</span> in 24 hours,{' '}
          {formatCount(summary.lastDay.complete)} complete, {formatCount(summary.lastDay.failed)} failed
        </p>
        {ageMs > staleMs && <p class="wrong">read {formatAge(ageMs)} ago</p>}
      </div>
      {summary.current === null ? <p class="empty">No epoch yet.</p> : <Current epoch={summary.current} now={now} />}
      <div class="columns">
        <div>
          <Recent epochs={recent} />
          <Gaps gaps={gaps} open={summary.openGaps} />
        </div>
        <div>
          <Validators summary={summary} />
          {workers.length > 0 && <Workers workers={workers} now={now} />}
        </div>
      </div>
    </section>
  );
}

function Current({ epoch, now }: { readonly epoch: ShownEpoch; readonly now: number }): VNode {
  const left = windowLeft(epoch, now);
  return (
    <div class="epoch-now">
      <p class="stage-now">
        Epoch <span data-field="epoch.number">{epoch.epoch}</span>
        <span class="about" data-field="epoch.window">
          {left === null
            ? ` window closed at ${formatClock(epoch.closesAt)}`
            : ` window closes in ${wholeSeconds(left)}`}
        </span>
      </p>
      <Stepper epoch={epoch} />
      <Submissions epoch={epoch} />
    </div>
  );
}

function wholeSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const stepWords = { past: 'done', present: 'now', failed: 'failed here', future: 'to come' } as const;

function Stepper({ epoch }: { readonly epoch: ShownEpoch }): VNode {
  return (
    <>
      <ol class="phases" aria-label="Phases of the epoch">
        {phaseSteps(epoch).map(({ phase, name, state }) => (
          <li
            key={phase}
            class={state}
            {...(state === 'present' || state === 'failed' ? { 'aria-current': 'step' } : {})}
          >
            {name}
            <span class="hidden"> {stepWords[state]}</span>
          </li>
        ))}
      </ol>
      {epoch.reason !== null && (
        <p class={epoch.phase === 'failed' ? 'wrong reason' : 'about reason'} data-field="epoch.reason">
          {epoch.phase === 'failed' ? 'Failed: ' : 'Skipped: '}
          {foreignText(epoch.reason)}
        </p>
      )}
    </>
  );
}

function Submissions({ epoch: { submissions, batches, validators } }: { readonly epoch: ShownEpoch }): VNode {
  const { received, pending, checking, counted, dropped } = submissions;
  const reasons = Object.entries(dropped).map(([name, count]) => `${foreignText(name)} ${formatCount(count)}`);
  const rows: readonly (readonly [string, string])[] = [
    ['Submissions', formatCount(received)],
    ['Not yet checked', formatCount(pending + checking)],
    ['Counted', formatCount(counted)],
    ['Refused', reasons.length === 0 ? 'none' : reasons.join(', ')],
    ['Batches', `${formatCount(batches.length)} of ${formatCount(validators.length)}`],
  ];
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-field={`epoch.${name.toLowerCase()}`}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Recent({ epochs }: { readonly epochs: readonly ShownEpoch[] }): VNode {
  return (
    <TableBox label="Last epochs">
      <Table kind="recent" caption="Last epochs" columns={['Epoch', 'Closed', 'Phase', 'Counted', 'Projects', 'Root']}>
        {epochs.map(({ epoch, closesAt, phase, submissions, projects, root }) => (
          <tr key={epoch}>
            <th scope="row">{epoch}</th>
            <td title={formatDate(closesAt)}>{formatClock(closesAt)}</td>
            <td class={phase === 'failed' ? 'wrong' : ''}>{phaseNames[phase]}</td>
            <td>{formatCount(submissions.counted)}</td>
            <td>{formatCount(projects)}</td>
            <td class="hash">{root === null ? '' : foreignText(shortHash(root))}</td>
          </tr>
        ))}
      </Table>
    </TableBox>
  );
}

const phaseNames: Readonly<Record<ShownEpoch['phase'], string>> = {
  submission: 'submission',
  level1: 'own result',
  level2: 'agreement',
  onchain: 'on chain',
  complete: 'complete',
  failed: 'failed',
};

const gapNames: Readonly<Record<EpochGap['kind'], string>> = {
  missing_level1: 'own result',
  missing_level2: 'agreement',
  missing_onchain: 'on chain',
};

function Gaps({ gaps, open }: { readonly gaps: readonly EpochGap[]; readonly open: number }): VNode {
  return (
    <TableBox label="Gaps" kind="gaps">
      <Table
        caption={
          <>
            Gaps, <span data-field="epochs.openGaps">{formatCount(open)}</span> open
          </>
        }
        columns={['Epoch', 'Missing', 'Since', 'Why']}
      >
        {gaps.map(({ epoch, kind, openedAt, resolvedAt, reason }) => (
          <tr key={`${epoch} ${kind}`} class={resolvedAt === null ? 'open' : ''}>
            <th scope="row">{epoch}</th>
            <td>{gapNames[kind]}</td>
            <td title={formatDate(openedAt)}>{formatClock(openedAt)}</td>
            <td class="reason">{resolvedAt === null ? whyText(reason) : `resolved at ${formatClock(resolvedAt)}`}</td>
          </tr>
        ))}
      </Table>
      {gaps.length === 0 && <p class="empty">Nothing was missing in the last seven days.</p>}
    </TableBox>
  );
}

/** The codes of the server are words with `_` between; a chain's reason may be anything. */
function whyText(reason: string | null): string {
  if (reason === null) return 'not known';
  return /^[a-z0-9_]+$/.test(reason) ? reason.replaceAll('_', ' ') : foreignText(reason);
}

function Workers({ workers, now }: { readonly workers: readonly EpochWorker[]; readonly now: number }): VNode {
  return (
    <TableBox label="Workers">
      <Table kind="workers" caption="Workers of this validator" columns={['Process', 'State']}>
        {workers.map(({ name, leads, alive, seenAt }) => (
          <tr key={name}>
            <th scope="row" class="node-id">
              {foreignText(name)}
            </th>
            <td class={alive ? '' : 'wrong'}>
              {alive ? (leads ? 'leads' : 'lives') : `silent for ${formatAge(now - seenAt)}`}
            </td>
          </tr>
        ))}
      </Table>
    </TableBox>
  );
}

function Validators({ summary: { validators, current } }: { readonly summary: WireSummary }): VNode {
  const sent = new Set(current?.batches);
  const names = new Set([...(current?.validators ?? []), ...validators.map(({ validator }) => validator)]);
  const known = new Map(validators.map((each) => [each.validator, each]));
  return (
    <TableBox label="Validators">
      <Table
        kind="validators"
        caption="Validators, in 24 hours"
        columns={['Validator', 'This epoch', 'Took part', 'Included']}
      >
        {[...names].toSorted().map((name) => {
          const { batches = 0, epochs = 0, included = 0, agreements = 0 } = known.get(name) ?? {};
          return (
            <tr key={name}>
              <th scope="row" class="node-id">
                {foreignText(name)}
              </th>
              <td>{sent.has(name) ? 'sent' : 'not yet'}</td>
              <td class={batches < epochs ? 'wrong' : ''}>{formatShare(batches, epochs)}</td>
              <td class={included < agreements ? 'wrong' : ''}>{formatShare(included, agreements)}</td>
            </tr>
          );
        })}
      </Table>
    </TableBox>
  );
}
