import type { Assignment } from './fork.ts';
import { loadSubject } from './subject.ts';
import { type TaskInputs, type TaskLink, type TaskName, tasks } from './tasks.ts';

/** The program that `fork` starts: it opens the pool by the subject's own module, does one task and stays until it is ended. */
process.on('message', (assignment: Assignment) => run(assignment));
process.once('disconnect', orphaned);

/** The parent is gone: nobody would end this process. */
function orphaned(): void {
  process.exit(1);
}

async function run({ module, pool, task, input }: Assignment): Promise<void> {
  const subject = await loadSubject(module);
  const link: TaskLink = {
    open: (options) => subject.open(pool, options),
    tell: (message) => new Promise((resolve) => process.send?.(message, () => resolve())),
    leave() {
      process.off('disconnect', orphaned);
      process.disconnect();
    },
  };
  // The parent pairs task and input by `TaskInputs`; across the process border that is lost.
  await tasks[task](link, input as TaskInputs[TaskName] as never);
}
