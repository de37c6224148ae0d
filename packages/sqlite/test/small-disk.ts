import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';

/** Commands that give a program a mount table of its own: as root, or as a root that is one in a namespace only. */
const namespaces = [
  ['unshare', '--mount'],
  ['unshare', '--map-root-user', '--mount'],
] as const;
const namespace: readonly string[] | undefined = namespaces.find(
  ([file, ...args]) => spawnSync(file, [...args, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
);
export const hasSmallDisk: boolean = namespace !== undefined;
if (!hasSmallDisk) console.log('full disk: no right to mount one here, so only the file-size limit is tested');

/** A disk for this program alone, gone with it. */
export function onSmallDisk(directory: string): string[] {
  const mount = `mount -t tmpfs -o size=24m none '${directory}' && exec "$@"`;
  return [...(namespace ?? []), 'bash', '-c', mount, 'bash'];
}

export const onSizeLimit: readonly string[] = ['bash', '-c', 'ulimit -f 4000 && exec "$@"', 'bash'];

export function diskDirectory(): string {
  const path = join(scratchFolder(), 'disk');
  mkdirSync(path);
  return path;
}

/** A mount of one file in the place of another, for this program alone. */
export function onMountedFile(file: string, at: string): string[] {
  return [...(namespace ?? []), 'bash', '-c', `mount --bind '${file}' '${at}' && exec "$@"`, 'bash'];
}
