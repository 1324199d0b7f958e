import type * as author from '../../author/context.ts'
import type { Delivery } from '@botwright/events/event'
import type { BotServices } from '../../bot/services.ts'
import { HandlerContext } from '../../bot/context/handler-context.ts'
import type { Handler } from '../../bot/compile-handler.ts'
import { checkWith, type Schema } from '../../author/state/schema.ts'
import { type TaskRun } from '../../link/task-event.ts'
import { interruptedText } from './known-task.ts'
import { runKey } from '../../bot/context/bot-context.ts'
import type { OwnHandling } from '../../bot/own-handling.ts'
import { failureOf, runOwn } from './run-own.ts'

/** Runs the tasks of a bot in the worker. No user waits for a task, so its errors are only logged. */
export const createTasks: OwnHandling = ({ handlers, services, host, root, ready }) => {
  const tasks = new Map(handlers.filter(({ entry }) => entry.kind === 'task').map((one) => [one.entry.name, one]))
  const runOf = ({ event }: Delivery): TaskRun => event.data as unknown as TaskRun

  async function start(ctx: TaskContext, handler: Handler): Promise<void> {
    const run = await ready(handler)
    const schema = handler.defined?.payload as Schema<unknown> | undefined
    if (schema) {
      const checked = await checkWith(schema, ctx.payload)
      if ('problem' in checked) throw new Error(`its payload is not valid: ${checked.problem}`)
      ctx.payload = checked.value
    }
    await run(ctx as never)
  }

  return {
    handlerOf: (delivery) => tasks.get(runOf(delivery).task)?.entry.file,
    async handle(delivery) {
      const run = runOf(delivery)
      const handler = tasks.get(run.task)
      if (!handler) return undefined
      const { file } = handler.entry
      if (delivery.attempt > 1 && !run.retry) {
        const message = interruptedText(file, run.scheduledAtMs)
        host.log.error({ code: 'ERR_HANDLER', file }, message)
        const error = { message, at: file, reference: '' }
        host.observe?.({ eventId: delivery.event.id, type: delivery.event.type, file, result: 'error', error })
        return failureOf(error)
      }
      const ctx = new TaskContext(handler.services ?? services, run, { file, redelivered: delivery.attempt > 1 })
      return failureOf(await runOwn(ctx, () => start(ctx, handler), { delivery, host, root, layer: services.layer }))
    },
  }
}

/** The context of a task. It has no event: use `ctx.state.bot` for the bot's state, `ctx.state.for({ server_id })` for others. */
export class TaskContext<P = unknown> extends HandlerContext implements author.TaskContext<P> {
  readonly kind = 'task'
  payload: P
  readonly redelivered: boolean
  readonly #run: TaskRun

  constructor(botServices: BotServices, run: TaskRun, facts: { file: string; redelivered: boolean }) {
    super(botServices, facts.file)
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
  protected override get [runKey](): string {
    return `task ${this.name} ${this.#run.timer ?? this.#run.scheduledAtMs}`
  }
}
