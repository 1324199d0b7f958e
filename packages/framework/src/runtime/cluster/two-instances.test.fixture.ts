import type { Clock } from '@botwright/clock'
import type { RunningBot } from '../ports/running-bot.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'

type Started = Parameters<ChatRig['startBot']>[1]

/** Two instances of one bot, on a real local service; `clock` is that of the engine that they share. */
export async function members(files: Record<string, string>, options: Started = {}, people?: string[], clock?: Clock) {
  const rig = await ChatRig.start(people)
  const cluster = new MemoryCluster(clock)
  const bots: RunningBot[] = []
  for (let i = 0; i < 2; i++)
    bots.push(await rig.startBot(files, { dispatcher: 'inline', cluster, version: `v${i}`, ...options }))
  return {
    rig,
    cluster,
    bots,
    async [Symbol.asyncDispose]() {
      for (const bot of bots) await bot.stop({ graceMs: 0 })
      await rig[Symbol.asyncDispose]()
      cluster.close()
    },
  }
}

export const count = (texts: string[], text: string): number => texts.filter((one) => one === text).length
