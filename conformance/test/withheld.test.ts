import { type CampaignReply, Leases } from 'mempool-election';
import { expect, test } from 'vitest';
import { Random } from '../src/case/random.ts';
import { Withheld } from '../src/scenario/ballot.ts';
import { newCampaign } from '../src/scenario/lease.ts';

test('an answer that comes after the end is not withheld: a node that stops waits for it', async () => {
  const reply = Promise.withResolvers<CampaignReply>();
  const answers = new Withheld();
  const leases = answers.through({ ...new Leases().open('late'), campaign: () => reply.promise });
  answers.begin();
  const won = leases.campaign(newCampaign(new Random(1)));
  answers[Symbol.dispose]();
  reply.resolve({ kind: 'busy' } as unknown as CampaignReply);
  expect(await won).toEqual({ kind: 'busy' });
});
