import { VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { wakeDelivery } from '../../../link/run-event.ts'
import { dueMsOf, type RunHead, RunStore } from '../stored/run-store.ts'
import type { BotHost } from '../../../bot/host.ts'
import type { Layer } from '../../../bot/layer.ts'
import { start } from '../../../tests/loaded-bot.test.fixture.ts'

/** The code of a durable command. */
export const durable = (run: string, options = ''): string =>
  `import { command } from 'botwright'
  export default command({ description: 'x', durable: true, ${options} run: async (ctx) => { ${run} } })`

export const turns = async (): Promise<void> => {
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** One bot after another on one store and one clock, as after restarts. */
export class Restarts {
  readonly clock = new VirtualClock()
  readonly store = new MemoryStore(this.clock)

  start = (files: Record<string, string>, host: Partial<BotHost> = {}, layer: Layer = {}) =>
    start(files, {}, { clock: this.clock, store: this.store, ...host }, layer)

  /** Wakes the runs that are due, as the runtime does. */
  async wake({ handle }: { handle: (delivery: Delivery) => unknown }): Promise<void> {
    const now = this.clock.now()
    for (const { key, value } of await new RunStore(this.store).due(10))
      if (dueMsOf(key) <= now) await handle(wakeDelivery({ ...value, file: 'commands/go.ts', due: key }, { now }))
  }

  /** Continues every run that waits, with the code of this bot. */
  async wakeAll({ handle }: { handle: (delivery: Delivery) => unknown }): Promise<void> {
    for (const { id, file } of await new RunStore(this.store).heads({ limit: 10 }))
      await handle(wakeDelivery({ run: id, file }, { now: this.clock.now() }))
  }

  /** Cancels a run as `framework runs cancel` does. */
  async cancel(bot: { handle: (delivery: Delivery) => unknown }, id: number, reason: string): Promise<void> {
    await new RunStore(this.store).request(String(id), { action: 'cancel', reason })
    await this.wake(bot)
  }

  async head(): Promise<RunHead> {
    return (await this.store.list('run:head:'))[0]?.value as RunHead
  }
}

/** The texts of the messages that were sent. */
export const texts = (calls: [string, Record<string, unknown>][]) =>
  calls.filter(([name]) => name === 'messages.create').map(([, { content }]) => content)
