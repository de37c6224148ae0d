/** Tells the way of two transactions, so that a newcomer sees what the pool does: the first one of the run and the first one of a fork. */
import type { TransactionEvent } from 'mempool-core';

/** Takes the events in order; those up to `after` belong to earlier runs. */
export function narrator(after: number, say: (line: string) => void): (event: TransactionEvent) => void {
  let received: string | null = null;
  let returned: string | null = null;
  return (event) => {
    if (event.eventSeq <= after) return;
    received ??= event.hash;
    if (isReturn(event)) returned ??= event.hash;
    if (event.hash === received || event.hash === returned) say(`  ${shorten(event.hash)}  ${describe(event)}`);
  };
}

/** Back to Pending: it was there before. */
function isReturn({ stage, cause }: TransactionEvent): boolean {
  return stage === 'Pending' && cause !== 'received';
}

function shorten(hash: string): string {
  return `${hash.slice(0, 8)}…${hash.slice(-6)}`;
}

function describe(event: TransactionEvent): string {
  const { stage, previous, confirmations, point, reason } = event;
  switch (stage) {
    case 'Pending':
      return isReturn(event) ? `its block was undone: from ${previous.stage} back to Pending` : 'received: Pending';
    case 'Propagated':
      return 'sent to the peers: Propagated';
    case 'Acknowledged':
      return 'taken by them: Acknowledged';
    case 'Confirmed':
      return `in the block of slot ${point?.slot}: Confirmed`;
    case 'Finalized':
      return `${confirmations} blocks deep: Finalized`;
    case 'Dropped':
      return `Dropped: ${typeof reason === 'string' ? reason : reason?.app}`;
  }
}
