import type { Logger } from '../contract/options.ts';
import { GrowingPause } from './growing-pause.ts';
import type { WatcherElection } from './watcher-options.ts';

/** Gives the leadership away. An election that fails to is asked again until the leadership is over. */
export async function resignFrom(election: WatcherElection, signal: AbortSignal, log: Logger): Promise<void> {
  for (const pause = new GrowingPause(); !signal.aborted; await pause.wait(signal)) {
    try {
      return await election.resign();
    } catch (error) {
      log('warn', 'the election did not resign', { error });
    }
  }
}
