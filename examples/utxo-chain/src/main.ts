/** A priority pool for a chain of unspent outputs: made-up payments, or those of a file of real Cardano blocks. */
import { openChain } from 'cardano-chains';
import { FileReplay } from './file-replay.ts';
import { tellStory } from './story.ts';

const [file, ...more] = process.argv.slice(2);
if (more.length > 0 || file?.startsWith('-')) end(2, 'it takes one file of blocks, or nothing');
else if (file === undefined) await tellStory();
else await tellFile(file).catch((error: unknown) => end(1, error instanceof Error ? error.message : String(error)));

async function tellFile(path: string): Promise<void> {
  const { blocks, transactions, foreign, parked, refused, outOfOrder, left } = await FileReplay.run(
    await openChain(path),
  );
  console.log(`${transactions} transactions in ${blocks} blocks, ${foreign} of which the pool never had`);
  console.log(`${parked} came before what they spend and were parked, ${outOfOrder} were out of order in the end`);
  console.log(`${refused} were refused, ${left} are left`);
}

function end(code: number, message: string): void {
  console.error(`utxo-chain: ${message}`);
  process.exitCode = code;
}
