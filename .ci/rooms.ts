// Checks that the folders of a package import each other in one direction only, types included.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { root } from './pack.ts';

/** Every room, which is a folder of `src` or of the dashboard's page, with the rooms that it imports; each comes after those. `.`: the files beside the rooms. */
const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'packages/mempool-core/src': {
    contract: [],
    codec: ['contract'],
    rules: ['contract', 'codec'],
    memory: ['contract', 'codec', 'rules'],
    priority: ['contract', 'codec', 'rules', 'memory'],
    drivers: ['contract', 'rules', 'memory', 'priority'],
    boundary: ['contract', 'codec', 'priority'],
    mempool: ['contract', 'boundary'],
    watcher: ['contract', 'boundary'],
    config: ['contract', 'codec', 'boundary', 'mempool'],
    '.': [
      ...['contract', 'codec', 'rules', 'memory', 'priority', 'drivers'],
      ...['boundary', 'mempool', 'watcher', 'config'],
    ],
  },
  'packages/election/src': {
    contract: [],
    'in-process': ['contract'],
    node: ['contract'],
    loop: ['contract', 'node'],
    '.': ['contract', 'in-process', 'node', 'loop'],
  },
  'packages/ledger/src': {
    contract: [],
    codec: ['contract'],
    rules: ['contract', 'codec'],
    memory: ['contract', 'codec', 'rules'],
    ledger: ['contract', 'codec', 'rules'],
    pool: ['contract', 'codec', 'ledger'],
    '.': ['contract', 'codec', 'rules', 'memory', 'ledger', 'pool'],
  },
  'packages/sqlite/src': {
    file: [],
    election: ['file'],
    pool: ['file'],
    fifo: ['file', 'pool', 'election'],
    priority: ['file', 'pool', 'election'],
    ledger: ['file'],
    '.': ['file', 'election', 'pool', 'fifo', 'priority', 'ledger'],
  },
  'packages/redis/src': {
    connection: [],
    election: ['connection'],
    pool: ['connection'],
    fifo: ['connection', 'pool'],
    priority: ['connection', 'pool'],
    ledger: ['connection'],
    '.': ['connection', 'election', 'pool', 'fifo', 'priority', 'ledger'],
  },
  'packages/node/src': {
    '.': [],
  },
  'packages/cardano/src': {
    bytes: [],
    transaction: ['bytes'],
    block: ['bytes'],
    '.': ['transaction', 'block'],
  },
  'packages/sequencer/src': {
    contract: [],
    rules: ['contract'],
    codec: ['contract', 'rules'],
    store: ['contract', 'codec', 'rules'],
    roles: ['contract', 'codec', 'rules', 'store'],
    '.': ['contract', 'codec', 'rules', 'store', 'roles'],
  },
  'packages/server/src': {
    config: [],
    monitor: [],
    metrics: ['monitor'],
    static: [],
    epochs: [],
    http: ['config', 'monitor', 'metrics', 'static', 'epochs'],
    edges: ['config', 'http'],
    demo: [],
    ledger: [],
    '.': ['config', 'monitor', 'metrics', 'epochs', 'http', 'edges', 'demo', 'ledger'],
  },
  'packages/server/page': {
    format: [],
    wire: [],
    state: ['format', 'wire'],
    view: ['format', 'wire', 'state'],
    '.': ['state', 'view'],
  },
  'packages/cli/src': {
    terminal: [],
    target: ['terminal'],
    commands: ['terminal', 'target'],
    '.': ['terminal', 'target', 'commands'],
  },
  'packages/benchmark/src': {
    setup: [],
    report: ['setup'],
    limits: ['setup'],
    workloads: ['setup', 'report', 'limits'],
    goals: ['setup', 'report', 'limits', 'workloads'],
    runner: ['setup', 'report', 'limits', 'workloads', 'goals'],
    peers: ['setup', 'report', 'goals', 'runner'],
    '.': ['setup', 'report', 'runner'],
  },
  'packages/chaos/src': {
    node: [],
    run: ['node'],
    report: ['run'],
    sentinel: ['node'],
    '.': ['run', 'report', 'sentinel'],
  },
  'conformance/src': {
    case: [],
    model: [],
    scenario: ['case'],
    histories: ['case', 'model', 'scenario'],
    cases: ['case', 'model', 'scenario', 'histories'],
    process: ['case'],
    report: ['case'],
    runner: ['case', 'scenario', 'cases', 'process', 'report'],
    command: ['case', 'cases', 'report', 'runner'],
    failover: [],
    '.': ['case', 'model', 'histories', 'cases', 'process', 'report', 'runner', 'command', 'failover'],
  },
};

const faults = Object.entries(rooms).flatMap(([folder, table]) => [
  ...faultsOfTable(folder, table),
  ...faultsOfImports(folder, table),
]);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Because a room names only rooms before it, no arrows of a correct table can form a cycle. */
function faultsOfTable(folder: string, table: Readonly<Record<string, readonly string[]>>): string[] {
  const names = Object.keys(table);
  return names.flatMap((room, i) =>
    (table[room] ?? [])
      .filter((other) => !names.slice(0, i).includes(other))
      .map((other) => `.ci/rooms.ts: in ${folder} the room ${other} must come before ${room}, which imports it`),
  );
}

function faultsOfImports(folder: string, table: Readonly<Record<string, readonly string[]>>): string[] {
  const faults: string[] = [];
  const unused = new Set(
    Object.entries(table).flatMap(([room, others]) => others.map((other) => `${room} → ${other}`)),
  );
  for (const { file, imported } of importsOf(folder)) {
    const [from, to] = [roomOf(file), roomOf(imported)];
    unused.delete(`${from} → ${to}`);
    if (!(from in table)) faults.push(`${folder}/${file}: the room ${from} is missing in .ci/rooms.ts`);
    else if (from !== to && !table[from]?.includes(to))
      faults.push(`${folder}/${file}: the room ${from} may not import ${imported} (see .ci/rooms.ts)`);
  }
  return [...faults, ...Array.from(unused, (arrow) => `.ci/rooms.ts: in ${folder} no import needs ${arrow}`)];
}

/** Imports of files in the same folder tree, as paths below `folder`. */
function importsOf(folder: string): { readonly file: string; readonly imported: string }[] {
  const src = join(root, folder);
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  return files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    const paths = Array.from(
      text.matchAll(/^(?:import|export|\}).* from '(\.[^']+)';$/gm),
      ([, path]) => path as string,
    );
    return paths
      .map((path) => relative(src, normalize(join(src, dirname(file), path))))
      .filter((imported) => !imported.startsWith('..'))
      .map((imported) => ({ file, imported }));
  });
}

function roomOf(file: string): string {
  const [room, rest] = file.split(sep, 2);
  return rest === undefined ? '.' : (room as string);
}
