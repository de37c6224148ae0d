/** A priority pool for a chain of unspent outputs: made-up payments, or those of a file of real Cardano blocks. */
import { openChain } from 'cardano-replay/chain';
import { FileReplay } from './file-replay.ts';
import { tellStory } from './story.ts';

const [file] = process.argv.slice(2);
if (file === undefined) await tellStory();
else await tellFile(file);

async function tellFile(path: string): Promise<void> {
  const { blocks, transactions, foreign, parked, refused, outOfOrder, left } = await FileReplay.run(
    await openChain(path),
  );
  console.log(`${transactions} transactions in ${blocks} blocks, ${foreign} of which the pool never had`);
  console.log(`${parked} came before what they spend and were parked, ${outOfOrder} were out of order in the end`);
  console.log(`${refused} were refused, ${left} are left`);
}
