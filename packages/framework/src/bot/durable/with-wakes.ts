import type { Bot } from '../host.ts'
import { handledEvent, isWake, wakeOf } from '../../link/durable/run-event.ts'
import type { Layer } from '../layer.ts'
import type { DurableRuns } from './durable-runs.ts'

type Handles = Pick<Bot, 'handle' | 'handlerOf' | 'apologize'>

/** The dispatch of a bot with durable handlers: what wakes a run goes to its run. */
export function withWakes<T extends Handles>(events: T, runs: DurableRuns, { within }: Layer): T {
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
