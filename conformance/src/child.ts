import { ordered } from './case/ordering.ts';
import { loadSubject, wholeSubject } from './case/subject.ts';
import type { TaskInputs, TaskName } from './case/task.ts';
import type { Assignment } from './process/fork.ts';
import { type TaskLink, tasks } from './process/tasks.ts';

/** The program that `fork` starts: it opens the pool by the subject's own module, does one task and stays until it is ended. */
const words: unknown[] = [];
let wake: (() => void) | null = null;
process.once('message', (assignment: Assignment) => {
  process.on('message', take);
  return run(assignment);
});
process.once('disconnect', orphaned);

/** The parent is gone, so nobody else would end this process. */
function orphaned(): void {
  process.exit(1);
}

function take(word: unknown): void {
  words.push(word);
  wake?.();
}

async function heard(): Promise<unknown> {
  while (words.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  return words.shift();
}

async function run({ module, pool, ordering, task, input }: Assignment): Promise<void> {
  const subject = wholeSubject(await loadSubject(module));
  const link: TaskLink = {
    name: subject.name,
    open: (options) => subject.open(pool, ordered(options, { ordering })),
    async leases(options) {
      const store = await subject.leases?.(pool, options);
      if (store === undefined) throw new Error(`${subject.name} has no leases`);
      return store;
    },
    heard,
    tell: (message) => new Promise((resolve) => process.send?.(message, () => resolve())),
    leave() {
      process.off('message', take);
      process.off('disconnect', orphaned);
      process.disconnect();
    },
  };
  // `TaskInputs` pairs task and input in the parent; the type is lost in the message between processes.
  await tasks[task](link, input as TaskInputs[TaskName] as never);
}
