import { occasion, type Surroundings } from '../context/bot-context.ts'
import { HandlerContext } from '../context/handler-context.ts'
import type { TaskRun } from '../../link/tasks/task-event.ts'

/** What a task is given. It is about no event: `ctx.state.bot` is its state, and `ctx.state.for({ server_id })` that of others. */
export class TaskContext<P = unknown> extends HandlerContext {
  readonly kind = 'task'
  /** What it was scheduled with. */
  payload: P
  /** True when an earlier run did not end: some of its work may have been done. */
  readonly redelivered: boolean
  readonly #run: TaskRun

  constructor(surroundings: Surroundings, run: TaskRun, facts: { file: string; redelivered: boolean }) {
    super(surroundings, facts.file)
    this.#run = run
    this.redelivered = facts.redelivered
    this.payload = run.payload as P
  }

  /** The task's name: its file's, without the folder. */
  get name(): string {
    return this.#run.task
  }
  /** The time that it was meant for; after a stop it may be long ago. */
  get scheduledAt(): Date {
    return new Date(this.#run.scheduledAtMs)
  }
  protected override get [occasion](): string {
    return `task ${this.name} ${this.#run.timer ?? this.#run.scheduledAtMs}`
  }
}
