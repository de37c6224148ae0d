import type { VNode } from 'preact';
import { formatCount } from '../format/numbers.ts';
import { formatDate, formatDuration, formatExactClock } from '../format/times.ts';
import { reasonText } from '../format/words.ts';
import type { Inspected } from '../state/inspector.ts';
import { type LifeStep, rollbacksOf, stepsOf, trackOf } from '../state/life.ts';
import type { WireStatus } from '../wire/answers.ts';

/** The present state of a transaction, and its history. */
export function Life({ inspected: { status, events, isComplete } }: { readonly inspected: Inspected }): VNode {
  if (status === null) return <p class="empty">Reading …</p>;
  return (
    <>
      <Track status={status} />
      <Facts status={status} rollbacks={events === null ? null : rollbacksOf(events)} />
      <h3 id="life">Life</h3>
      {events === null ? (
        <p class="empty">Reading what the events tell …</p>
      ) : (
        <Steps steps={stepsOf(events)} isComplete={isComplete} />
      )}
    </>
  );
}

function Track({ status }: { readonly status: WireStatus }): VNode {
  const isOff = status.stage === 'Dropped';
  return (
    <div class={isOff ? 'track off' : 'track'}>
      <p class="stage-now" data-field="transaction.stage">
        {status.stage}
      </p>
      <ol aria-hidden="true">
        {trackOf(status).map(({ name, state }) => (
          <li key={name} class={state}>
            {name}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Facts({ status, rollbacks }: { readonly status: WireStatus; readonly rollbacks: number | null }): VNode {
  const { receivedAt, attempts, confirmations, nonConfirmations, confirmedAt, reason, notBefore } = status;
  const rows: (readonly [string, string | null])[] = [
    ['Received', receivedAt === null ? 'time not known' : `${formatDate(receivedAt)}`],
    ['Attempts to send', formatCount(attempts)],
    ['Confirmations', formatCount(confirmations)],
    ['Blocks without it', nonConfirmations > 0 ? formatCount(nonConfirmations) : null],
    ['Block', confirmedAt === null ? null : `slot ${formatCount(confirmedAt.slot)}`],
    ['Block hash', confirmedAt?.hash ?? null],
    ['Rollbacks', rollbacks === null ? null : formatCount(rollbacks)],
    ['Reason', reason === null ? null : reasonText(reason)],
    ['Held back until', notBefore === null ? null : formatDate(notBefore)],
  ];
  return (
    <dl class="facts">
      {rows.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={name === 'Block hash' ? 'hash' : ''}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Steps({ steps, isComplete }: { readonly steps: readonly LifeStep[]; readonly isComplete: boolean }): VNode {
  return (
    <>
      {!isComplete && <p class="about">The oldest events are no longer kept, so the life begins later than it did.</p>}
      {steps.length === 0 && <p class="empty">No event of it is kept.</p>}
      <ol class="steps" aria-labelledby="life">
        {steps.map(({ eventSeq, at, title, detail, mood, afterMs }) => (
          <li key={eventSeq} class={mood}>
            <p class="step-title">
              {title}
              {detail !== '' && <span class="detail"> {detail}</span>}
            </p>
            <p class="step-time">
              <time title={formatDate(at)}>{formatExactClock(at)}</time>
              {afterMs !== null && <span> after {formatDuration(afterMs)}</span>}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
