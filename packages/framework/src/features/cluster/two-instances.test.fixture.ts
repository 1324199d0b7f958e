import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@botwright/clock'
import type { RunningBot } from '../../runtime/ports/running-bot.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'

type Started = Parameters<ChatRig['startBot']>[1]

type Files = Record<string, string>

/** Two instances of one bot, on a real local service; `clock` is that of the engine that they share. */
export async function members(
  given: Files | ((rig: ChatRig) => Files),
  options: Started = {},
  people?: string[],
  clock?: Clock,
) {
  const rig = await ChatRig.start(people)
  const files = typeof given === 'function' ? given(rig) : given
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

const goOnFile = (rig: ChatRig) => join(rig.root, 'go-on')
/** The code of a handler that waits for `goOn`. */
export const untilGoOn = (rig: ChatRig) =>
  `while (!(await import('node:fs')).existsSync(${JSON.stringify(goOnFile(rig))})) await new Promise((end) => setTimeout(end, 5))`
export const goOn = (rig: ChatRig) => writeFile(goOnFile(rig), '')
