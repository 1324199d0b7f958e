import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Answer, Task } from './task.ts'

const program = fileURLToPath(new URL('../../../bin/check-worker.mjs', import.meta.url))

/** Where tasks come from, and where their answers go. */
export interface Work {
  /** The next task for this process; undefined when there is none for it now. */
  next(worker: number): Task | undefined
  done(worker: number, task: Task, answer: Answer): void
  isOver(): boolean
}

/** Has `size` processes do the work, each one task at a time. A process that ends by itself ends all. */
export async function runCrew(root: string, size: number, work: Work): Promise<void> {
  const workers = Array.from({ length: size }, () =>
    fork(program, [root], { execArgv: ['--max-old-space-size=4096'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  )
  try {
    await new Promise<void>((resolve, reject) => drive(workers, work, resolve, reject))
  } finally {
    for (const worker of workers) worker.kill()
  }
}

function drive(workers: ChildProcess[], work: Work, resolve: () => void, reject: (error: Error) => void): void {
  const busy = new Map<number, Task>()
  const handOut = () => {
    workers.forEach((worker, index) => {
      const task = busy.has(index) ? undefined : work.next(index)
      if (!task) return
      busy.set(index, task)
      worker.send(task)
    })
    if (busy.size > 0) return
    if (work.isOver()) resolve()
    else reject(new Error('projects refer to each other in a circle, or to one that there is not'))
  }
  workers.forEach((worker, index) => {
    worker.on('message', (answer: Answer) => {
      const task = busy.get(index)
      if (!task) return
      busy.delete(index)
      work.done(index, task, answer)
      handOut()
    })
    worker.once('error', reject)
    worker.once('exit', (code, signal) => reject(new Error(`a process of the check ended with ${code ?? signal}`)))
  })
  handOut()
}
