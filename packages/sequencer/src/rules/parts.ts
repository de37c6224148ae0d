import type { ProjectVotes } from '../contract/batch.ts';
import { byText } from './order.ts';

/** The most projects of one part. */
export const partProjects = 20;

/** Cuts a sorted list into parts, in order. */
export function partsOf<T>(projects: readonly T[], size: number = partProjects): T[][] {
  const count = Math.ceil(projects.length / size);
  return Array.from({ length: count }, (_, i) => projects.slice(i * size, (i + 1) * size));
}

/**
 * Cuts a sorted list into parts of at most `partProjects`, each with a JSON of at most so many bytes. If a project is larger by
 * itself, the content ids with the fewest votes are left out of it, of equals the highest ones: none of them can win.
 */
export function votePartsOf(projects: readonly ProjectVotes[], maxBytes: number): ProjectVotes[][] {
  const parts: ProjectVotes[][] = [];
  let part: ProjectVotes[] = [];
  let room = 0;
  for (const each of projects) {
    const one = reduced(each, maxBytes - 2);
    const bytes = jsonBytes(one) + 1;
    if (bytes > room || part.length === partProjects) {
      part = [];
      parts.push(part);
      // Brackets, and no comma before the first.
      room = maxBytes - 1;
    }
    part.push(one);
    room -= bytes;
  }
  return parts;
}

function reduced(whole: ProjectVotes, maxBytes: number): ProjectVotes {
  if (jsonBytes(whole) <= maxBytes) return whole;
  const ranked = whole.votes.toSorted(([a, ofA], [b, ofB]) => ofB - ofA || byText(a, b));
  const votes = fitting(ranked, maxBytes - jsonBytes({ ...whole, votes: [] }));
  return { ...whole, votes: votes.sort(([a], [b]) => byText(a, b)) };
}

/** As many from the start as have a JSON of at most so many bytes, with a comma each. */
export function fitting<T extends object>(ranked: readonly T[], maxBytes: number): T[] {
  let room = maxBytes;
  const end = ranked.findIndex((each) => {
    room -= jsonBytes(each) + 1;
    return room < 0;
  });
  return ranked.slice(0, end === -1 ? ranked.length : end);
}

/** The size of a value's JSON. Projects, content ids and validators are ASCII. */
export function jsonBytes(value: object): number {
  return JSON.stringify(value).length;
}
