/** Where a backend keeps what it holds: it decides how its rows are timed. */
export type Place = 'heap' | 'file' | 'server';
