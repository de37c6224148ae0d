// Checks that packages, and the folders of a package, import each other in one direction only, types included. Reports the lines of each
// part.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
    boundary: ['contract', 'codec'],
    mempool: ['contract', 'boundary', 'priority'],
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
    pool: ['contract', 'ledger'],
    '.': ['contract', 'codec', 'rules', 'memory', 'ledger', 'pool'],
    sqlite: ['.'],
    redis: ['.'],
    config: ['.', 'sqlite', 'redis'],
    server: ['.', 'config'],
  },
  'packages/sqlite/src': {
    file: [],
    election: ['file'],
    pool: ['file'],
    fifo: ['file', 'pool', 'election'],
    priority: ['file', 'pool', 'election'],
    '.': ['file', 'election', 'pool', 'fifo', 'priority'],
  },
  'packages/redis/src': {
    connection: [],
    election: ['connection'],
    pool: ['connection'],
    fifo: ['connection', 'pool'],
    priority: ['connection', 'pool'],
    '.': ['connection', 'election', 'pool', 'fifo', 'priority'],
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
    board: ['contract', 'codec', 'rules', 'store'],
    server: ['rules', 'store', 'board'],
    '.': ['contract', 'codec', 'rules', 'store', 'roles'],
    evm: ['contract', 'rules', 'store', 'roles', '.'],
    gossip: ['contract', '.'],
    ipfs: ['contract'],
    command: ['contract', 'store', 'roles', '.', 'evm', 'gossip', 'ipfs'],
  },
  'packages/server/src': {
    config: [],
    monitor: [],
    metrics: ['monitor'],
    http: ['config', 'monitor', 'metrics'],
    edges: ['http'],
    extensions: ['config', 'http'],
    demo: [],
    '.': ['config', 'monitor', 'metrics', 'http', 'edges', 'extensions', 'demo'],
  },
  'packages/dashboard/src': {
    '.': [],
  },
  'packages/dashboard/page': {
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
    '.': ['report', 'runner'],
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
    '.': ['case', 'histories', 'cases', 'process', 'report', 'runner', 'command', 'failover'],
  },
};

const [core, election, sqlite, redis, server] = [
  'mempool-core',
  'mempool-election',
  'mempool-sqlite',
  'mempool-redis',
  'mempool-server',
];

/**
 * Which packages the sources of a package import. A package imports those of rows before it: general code never imports special code.
 * `/server`: the extension of a server, which only the rows after it may import.
 */
const arrows: Readonly<Record<string, { readonly folder: string; readonly imports: readonly string[] }>> = {
  [core]: { folder: 'packages/mempool-core/src', imports: [] },
  [election]: { folder: 'packages/election/src', imports: [] },
  'mempool-ephemeral': { folder: 'packages/ephemeral/src', imports: [core] },
  [sqlite]: { folder: 'packages/sqlite/src', imports: [core, election] },
  [redis]: { folder: 'packages/redis/src', imports: [core, election] },
  'mempool-ledger': { folder: 'packages/ledger/src', imports: [core, sqlite, redis] },
  'mempool-sequencer': { folder: 'packages/sequencer/src', imports: [core] },
  'mempool-cardano': { folder: 'packages/cardano/src', imports: [core] },
  'mempool-conformance': { folder: 'conformance/src', imports: [core, election, 'mempool-ledger'] },
  'mempool-node': { folder: 'packages/node/src', imports: [core, election, 'mempool-ephemeral', sqlite, redis] },
  [server]: { folder: 'packages/server/src', imports: [core, election, 'mempool-node'] },
  'mempool-ledger/server': { folder: 'packages/ledger/src/server', imports: [core, server] },
  'mempool-sequencer/board': { folder: 'packages/sequencer/src/board', imports: [core, election] },
  'mempool-sequencer/server': {
    folder: 'packages/sequencer/src/server',
    imports: [core, election, 'mempool-node', server],
  },
  'mempool-edge-blockfrost': { folder: 'packages/edge-blockfrost/src', imports: [core, 'mempool-cardano', server] },
  'mempool-edge-cometbft': { folder: 'packages/edge-cometbft/src', imports: [core, server] },
  'mempool-edge-ethereum': { folder: 'packages/edge-ethereum/src', imports: [core, server] },
  'mempool-sequencer/evm': {
    folder: 'packages/sequencer/src/evm',
    imports: [core, 'mempool-node', 'mempool-edge-ethereum'],
  },
  'mempool-edge-utxorpc': { folder: 'packages/edge-utxorpc/src', imports: [core, 'mempool-cardano', server] },
  'mempool-sequencer/command': {
    folder: 'packages/sequencer/src/command',
    imports: [core, election, redis, server],
  },
  'mempool-dashboard': { folder: 'packages/dashboard/src', imports: [server] },
  // Of other packages the page has types only.
  'mempool-dashboard/page': {
    folder: 'packages/dashboard/page',
    imports: [core, election, 'mempool-ledger', 'mempool-sequencer', 'mempool-sequencer/server', server],
  },
  'mempool-cli': { folder: 'packages/cli/src', imports: [core, 'mempool-ledger', 'mempool-node', server] },
};

interface Part {
  readonly budget: number;
  /** Paths that begin so belong to the part. The longest one decides. */
  readonly paths: readonly string[];
}

/** Lines that the published packages may have, without tests. */
const product: Readonly<Record<string, Part>> = {
  'mempool-core': { budget: 15_500, paths: ['packages/mempool-core/'] },
  ephemeral: { budget: 60, paths: ['packages/ephemeral/'] },
  sqlite: { budget: 3_800, paths: ['packages/sqlite/'] },
  redis: { budget: 6_500, paths: ['packages/redis/'] },
  election: { budget: 2_300, paths: ['packages/election/'] },
  node: { budget: 350, paths: ['packages/node/'] },
  server: { budget: 6_300, paths: ['packages/server/'] },
  dashboard: { budget: 4_200, paths: ['packages/dashboard/'] },
  edges: { budget: 4_300, paths: ['packages/server/src/edges/', 'packages/edge-'] },
  cli: { budget: 2_200, paths: ['packages/cli/'] },
  ledger: { budget: 7_500, paths: ['packages/ledger/'] },
  sequencer: { budget: 5_500, paths: ['packages/sequencer/'] },
  cardano: { budget: 1_300, paths: ['packages/cardano/'] },
};

/** The same of the rest of the repository. */
const proof: Readonly<Record<string, Part>> = {
  'conformance/src': { budget: 15_000, paths: ['conformance/'] },
  'conformance/test': { budget: 5_000, paths: ['conformance/test/'] },
  'tests of packages and examples': { budget: 26_000, paths: [] },
  benchmark: { budget: 3_500, paths: ['packages/benchmark/'] },
  chaos: { budget: 2_500, paths: ['packages/chaos/'] },
  testkit: { budget: 1_400, paths: ['packages/testkit/'] },
  'cardano-chains, evm-chain': { budget: 800, paths: ['packages/cardano-chains/', 'packages/evm-chain/'] },
  '.ci': { budget: 800, paths: ['.ci/'] },
  examples: { budget: 6_000, paths: ['examples/'] },
};
const totals = { product: 60_000, everything: 122_000 };

reportSizes();
const faults = [
  ...faultsOfArrows(),
  ...Object.entries(rooms).flatMap(([folder, table]) => [
    ...faultsOfTable(folder, table),
    ...faultsOfImports(folder, table),
  ]),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

function faultsOfArrows(): string[] {
  const names = Object.keys(arrows);
  const folders = Object.entries(arrows).map(([name, { folder }]) => ({ name, folder: `${folder}/` }));
  const ownerOf = (file: string): string =>
    folders
      .filter(({ folder }) => file.startsWith(folder))
      .reduce((a, b) => (a.folder.length > b.folder.length ? a : b)).name;
  const order = Object.entries(arrows).flatMap(([name, { imports }]) =>
    imports
      .filter((other) => names.indexOf(other) > names.indexOf(name) || !names.includes(other))
      .map((other) => `.ci/rooms.ts: ${other} must come before ${name}, which imports it`),
  );
  const unused = new Set(
    Object.entries(arrows).flatMap(([name, { imports }]) => imports.map((other) => `${name} → ${other}`)),
  );
  const found = Object.values(arrows).flatMap(({ folder }) => filesIn(folder).map((file) => `${folder}/${file}`));
  const faults = [...new Set(found)].flatMap((file) => {
    const from = ownerOf(file);
    return packagesIn(file)
      .filter((to) => to !== from && !unused.delete(`${from} → ${to}`) && !arrows[from]?.imports.includes(to))
      .map((to) => `${file}: ${from} may not import ${to} (see .ci/rooms.ts)`);
  });
  return [...order, ...faults, ...Array.from(unused, (arrow) => `.ci/rooms.ts: no import needs ${arrow}`)];
}

/** The packages of the workspace that a file imports; `/server` of one is a row of its own, if it has one. */
function packagesIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const named = Array.from(
    text.matchAll(/(?:^|[ (])(?:from |import\()'(mempool-[a-z-]+)(\/[a-z]+)?'/gm),
    ([, name = '', entry = '']) => (name + entry in arrows ? name + entry : name),
  );
  return named.filter((name) => name in arrows);
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
}

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
  return filesIn(folder).flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    const paths = Array.from(
      text.matchAll(/(?:^(?:import|export|\}).* from |\bimport\()'(\.[^']+)'/gm),
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

/** Only prints. */
function reportSizes(): void {
  const lines = linesOfParts();
  const sum = (parts: Readonly<Record<string, Part>>): number =>
    Object.keys(parts).reduce((total, part) => total + (lines.get(part) ?? 0), 0);
  const row = (title: string, count: number, budget: number): string =>
    `${title.padEnd(32)}${count.toLocaleString('en').padStart(8)} of ${budget.toLocaleString('en').padStart(7)}${count > budget ? `  +${(count - budget).toLocaleString('en')}` : ''}`;
  const parts = Object.entries({ ...product, ...proof });
  console.log('Lines of .ts, .tsx, .lua and .sql, with their budgets:');
  for (const [part, { budget }] of parts) console.log(row(part, lines.get(part) ?? 0, budget));
  console.log(row('product', sum(product), totals.product));
  console.log(row('everything', sum(product) + sum(proof), totals.everything));
}

function linesOfParts(): Map<string, number> {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const lines = new Map<string, number>();
  for (const file of files.toString().split('\n')) {
    if (!/\.(tsx?|lua|sql)$/.test(file) || !existsSync(join(root, file))) continue;
    const part = partOf(file);
    if (part !== null)
      lines.set(part, (lines.get(part) ?? 0) + readFileSync(join(root, file), 'utf8').split('\n').length - 1);
  }
  return lines;
}

/** Returns `null` for a file of the root. */
function partOf(file: string): string | null {
  if (/^(packages|examples)\/[^/]+\/test\//.test(file)) return 'tests of packages and examples';
  const matches = Object.entries({ ...product, ...proof }).flatMap(([part, { paths }]) =>
    paths.filter((path) => file.startsWith(path)).map((path) => ({ part, length: path.length })),
  );
  return matches.toSorted((a, b) => b.length - a.length)[0]?.part ?? null;
}
