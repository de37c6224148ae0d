/** The suite's own generator. By path, because the package's entry point loads every conformance case. */
export { Random } from '../../../conformance/src/case/random.ts';

/** A new one for every run, unless the environment names one to repeat. A test that uses it has it in its title. */
export const seed: number = Number(process.env.MEMPOOL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
