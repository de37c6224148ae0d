export const leaseVerbs = [
  'campaign',
  'renew',
  'reinstate',
  'release',
  'observe',
  'heartbeat',
  'members',
  'onHint',
  'close',
] as const;

/** A store's or driver's verbs as plain functions, so that some of them can be replaced. */
export function verbsOf<T extends object, K extends keyof T>(whole: T, names: readonly K[]): Pick<T, K> {
  const entries = names.map((name) => {
    const verb = whole[name];
    return [name, typeof verb === 'function' ? verb.bind(whole) : verb];
  });
  return Object.fromEntries(entries) as Pick<T, K>;
}
