import type { TestProject } from 'vitest/node';
import { provideRedis } from './found-redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Redis that tests may write to, under prefixes of their own. */
    redisUrl: string;
  }
}

/** Finds or starts one Redis for the whole run; tests read its address with `inject('redisUrl')`. Child processes read the environment. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await provideRedis();
  project.provide('redisUrl', redis.url);
  return async () => redis[Symbol.asyncDispose]();
}
