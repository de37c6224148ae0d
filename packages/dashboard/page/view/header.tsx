import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatAge } from '../format/times.ts';
import { foreignText } from '../format/words.ts';
import { type Health, healthOf } from '../state/health.ts';
import { Search } from './search.tsx';
import { SessionMenu } from './session.tsx';
import { useField } from './use-dashboard.ts';
import { useNow } from './use-now.ts';

/** Which pool this is, and whether all is well. */
export function Header(): VNode {
  const health = useHealth();
  useTitle(health);
  return (
    <header class="top">
      <div class="top-line">
        <h1 class="brand">
          <Mark />
          Mempool
        </h1>
        <PoolName />
        <Search />
        <Status health={health} />
        <SessionMenu />
      </div>
      <Faults health={health} />
    </header>
  );
}

function useHealth(): Health {
  const connection = useField('connection');
  const notReady = useField('notReady');
  const summary = useField('summary');
  return healthOf({ connection, notReady, summary });
}

/** Of several tabs, the one where something is wrong is seen. */
function useTitle({ level }: Health): void {
  const environment = foreignText(useField('pool')?.environment.slice(0, 40) ?? '');
  const name = environment === '' ? 'Mempool' : `Mempool · ${environment}`;
  useEffect(() => {
    document.title = level === 'bad' ? `⚠ ${name}` : name;
  }, [level, name]);
}

function Mark(): VNode {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect x="1" y="11" width="5" height="8" rx="1" />
      <rect x="7.5" y="6" width="5" height="13" rx="1" />
      <rect x="14" y="1" width="5" height="18" rx="1" />
    </svg>
  );
}

function PoolName(): VNode | null {
  const pool = useField('pool');
  if (pool === null) return null;
  const parts = [`${pool.ordering} pool`, pool.backend];
  return (
    <p class="pool-name">
      {parts.join(' · ')}
      {pool.environment !== '' && (
        <strong class="environment" title={foreignText(pool.environment)}>
          {foreignText(pool.environment)}
        </strong>
      )}
    </p>
  );
}

function Status({ health }: { readonly health: Health }): VNode {
  return (
    <p class={`status ${health.level}`} data-state={health.word.toLowerCase().replace(' ', '-')}>
      <span class="dot" aria-hidden="true" />
      <strong>{health.word}</strong>
      <DataAge />
    </p>
  );
}

/** How old the numbers are. */
function DataAge(): VNode | null {
  const { answeredAt } = useField('connection');
  const now = useNow();
  if (answeredAt === null) return null;
  const age = formatAge(now - answeredAt);
  return <span class="age">{age === 'now' ? 'updated now' : `updated ${age} ago`}</span>;
}

function Faults({ health: { faults, notes } }: { readonly health: Health }): VNode {
  return (
    <div class="faults" role="status">
      {faults.map((fault) => (
        <p class="fault" key={fault}>
          {fault}
        </p>
      ))}
      {notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
    </div>
  );
}
