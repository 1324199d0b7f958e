import { goOn } from '../../link/errors/came-through.ts'
import type { Run } from '../compile-handler.ts'
import type { Defined } from '../../author/definition.ts'

/** A task with what the middleware says of tasks around it, outermost first. Nobody reads what a task returns. */
export function compileTask(defined: Defined, around: readonly { defined: Defined; file: string }[]): Run {
  return around.reduceRight<Run>((next, { defined: { task }, file }) => {
    if (!task) return next
    const layer = task as (ctx: unknown, next: () => Promise<void>) => unknown
    return (ctx) => {
      let called = false
      return layer(ctx, async () => {
        if (called) throw new Error('a middleware called next() twice, but a task runs only once')
        called = true
        await goOn(() => next(ctx), file)
      })
    }
  }, defined.run as Run)
}

/** What is wrong with a middleware of the folder `tasks/`; undefined when nothing is. */
export function taskMiddlewareProblem(folder: string, { task }: Defined): string | undefined {
  if (folder !== 'tasks' && !folder.startsWith('tasks/')) return undefined
  return task
    ? undefined
    : 'guards and run do not apply to tasks, because no user triggers them: write middleware({ task: async (ctx, next) => … })'
}
