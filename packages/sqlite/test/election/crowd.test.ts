import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { numbers } from '../numbered.ts';
import { Audience, Talker } from './talker.ts';

const processes = 5;
const elections = 10;

test(`${elections} elections that ${processes} processes start at once have one leader each, the same for all`, async () => {
  const path = join(scratchFolder(), 'pool.db');
  const audience = new Audience();
  const all = numbers(processes).map(
    (n) => new Talker(audience, './election/crowd.ts', `node-${n}`, [path, `node-${n}`, String(elections)]),
  );
  const everybody = (kind: string) => Promise.all(all.map((by) => audience.next(kind, { from: 0, by })));
  await everybody('ready');
  for (const each of all) each.order('start');
  await everybody('started');
  for (const each of all) each.order('look');
  await everybody('looked');
  const said = (kind: string) => audience.heard.filter((word) => word.kind === kind);
  const won = said('acquired');
  expect(won.map(({ name }) => name).sort()).toEqual(numbers(elections).map((n) => `e${n}`));
  expect(said('lost')).toEqual([]);
  const leaders = new Map(won.map(({ name, nodeId, term }) => [name, { leader: nodeId, term }]));
  const seen = said('sees');
  expect(seen).toHaveLength(processes * elections);
  for (const view of seen) expect(view).toMatchObject(leaders.get(view.name) as object);
  for (const each of all) each.order('stop');
  await Promise.all(all.map((each) => each.ended()));
}, 180_000);
