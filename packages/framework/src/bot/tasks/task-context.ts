import type { BotServices } from '../services.ts'
import { occasion } from '../context/bot-context.ts'
import type * as author from '../../author/context.ts'
import { HandlerContext } from '../context/handler-context.ts'
import type { TaskRun } from '../../link/tasks/task-event.ts'

/** What a task is given. It is about no event: `ctx.state.bot` is its state, and `ctx.state.for({ server_id })` that of others. */
export class TaskContext<P = unknown> extends HandlerContext implements author.TaskContext<P> {
  readonly kind = 'task'
  payload: P
  readonly redelivered: boolean
  readonly #run: TaskRun

  constructor(surroundings: BotServices, run: TaskRun, facts: { file: string; redelivered: boolean }) {
    super(surroundings, facts.file)
    this.#run = run
    this.redelivered = facts.redelivered
    this.payload = run.payload as P
  }

  get name(): string {
    return this.#run.task
  }
  get scheduledAt(): Date {
    return new Date(this.#run.scheduledAtMs)
  }
  protected override get [occasion](): string {
    return `task ${this.name} ${this.#run.timer ?? this.#run.scheduledAtMs}`
  }
}
