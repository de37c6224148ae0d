import { checkName } from '../boundary/verdicts.ts';
import type { Verdict } from '../contract/verdict.ts';

/**
 * The verdict where a sender may have one transaction in the pool at a time: a second one is `sender-limit` whatever it pays,
 * until the first is Confirmed or gone. The empty sender is nobody and has no limit.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `sender`
 */
export function onePerSender(sender: string, rest: Omit<Verdict, 'sender' | 'senderLimit'> = {}): Verdict {
  return { ...rest, sender: checkName('sender', sender, 0), senderLimit: 1 };
}
