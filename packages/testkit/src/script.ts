import { MissingRedisError } from './redis-program.ts';

/** Runs a script and ends the process, with code 1 after an error. A missing Redis is one line. */
export async function runScript(main: () => Promise<void>): Promise<never> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof MissingRedisError ? error.message : error);
    process.exitCode = 1;
  }
  process.exit();
}
