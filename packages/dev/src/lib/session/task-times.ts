import { systemClock, within } from '@botwright/clock'
import { taskStates } from '@botwright/framework/replay'
import type { RunningBot } from '@botwright/framework/start'

/** When each task runs next, in milliseconds since 1970, by its file. */
export type TaskTimes = ReadonlyMap<string, number>

/** The start of the session does not wait longer for a store of the bot's own. */
const MOST_MS = 1000

/** Reads them. None if the store does not respond: the names of the files are shown all the same. */
export async function taskTimes(bot: Pick<RunningBot, 'code' | 'store'>, env: NodeJS.ProcessEnv): Promise<TaskTimes> {
  const { definitions } = bot.code
  const read = () => taskStates(definitions, { store: bot.store, nowMs: Date.now(), env })
  const states = await within(systemClock, MOST_MS, read).catch(() => [])
  return new Map(states.flatMap(({ file, nextMs }) => (nextMs === undefined ? [] : [[file, nextMs] as const])))
}
