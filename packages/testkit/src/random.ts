/** The suite's own generator. By path, because the package's entry point loads every conformance case. */
export { Random } from '../../../conformance/src/case/random.ts';

/** The seed of this run: random, unless `MEMPOOL_TEST_SEED` is set. A test that uses the seed has it in its title. */
export const seed: number = Number(process.env.MEMPOOL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
