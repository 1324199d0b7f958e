// Bots of `framework dev` whose service keeps its data in memory: they end with its process, and so do their durable runs.

import type { StateStore } from '../../author/ports.ts'
import { storeIn, valuesIn } from './state-file.ts'

const KEY = 'dev:process'

/** Records in a bot's state that the bot ends with this process. */
export async function markTemporaryBot(folder: string, botId: string): Promise<void> {
  using store = storeIn(folder, botId)
  await store.set(KEY, { pid: process.pid })
}

/** Whether a bot has ended with its process. */
export async function hasEnded(store: StateStore): Promise<boolean> {
  return isEnded((await store.get(KEY))?.value)
}

/** Deletes the durable runs of the bots that have ended. */
export async function deleteEndedRuns(folder: string): Promise<void> {
  for (const { botId, value } of valuesIn(folder, KEY)) {
    if (!isEnded(value)) continue
    using store = storeIn(folder, botId)
    const rows = await store.list('run:')
    await Promise.all([...rows.map(({ key }) => key), KEY].map((key) => store.delete(key)))
  }
}

const isEnded = (mark: unknown): boolean => mark !== undefined && !isAlive((mark as { pid: number }).pid)

/** Whether a process of this computer is running. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It is alive, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
