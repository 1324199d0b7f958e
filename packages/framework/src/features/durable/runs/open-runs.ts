import type { Handling, OpenDurableHandlers } from '../../../bot/durable-handlers.ts'
import type { Layer } from '../../../bot/layer.ts'
import { handledEvent, isWake, wakeOf } from '../../../link/run-event.ts'
import { RunStore } from '../stored/run-store.ts'
import { DurableRuns } from './durable-runs.ts'

/** Opens the durable handlers of a bot. */
export const openRuns: OpenDurableHandlers = (store) => {
  const stored = new RunStore(store)
  return {
    replace: (key) => stored.replace(key),
    open(host) {
      const runs = new DurableRuns(host)
      return { begin: (ctx) => runs.begin(ctx), around: (bot) => withWakes(bot, runs, host.services.layer) }
    },
  }
}

/** The handling of a bot with durable handlers: what wakes a run goes to its run. */
function withWakes<T extends Handling>(events: T, runs: DurableRuns, { within }: Layer): T {
  return {
    ...events,
    handle(delivery) {
      if (!isWake(delivery.event)) return events.handle(delivery)
      return runs.wake(wakeOf(delivery.event), (event) => {
        const handle = () => events.handle({ event, attempt: delivery.attempt })
        return within ? within(event, handle) : handle()
      })
    },
    handlerOf: (delivery) => (isWake(delivery.event) ? wakeOf(delivery.event).file : events.handlerOf(delivery)),
    async apologize(delivery, why) {
      const event = handledEvent(delivery.event)
      if (event) await events.apologize(event === delivery.event ? delivery : { event, attempt: 1 }, why)
    },
  }
}
