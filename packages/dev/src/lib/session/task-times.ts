import { taskStates } from '@botwright/framework/replay'
import type { RunningBot } from '@botwright/framework/start'

/** When each task runs next, in milliseconds since 1970, by its file. */
export type TaskTimes = ReadonlyMap<string, number>

/** Reads them. None if the store does not respond: the names of the files are shown all the same. */
export async function taskTimes(bot: Pick<RunningBot, 'code' | 'store'>, env: NodeJS.ProcessEnv): Promise<TaskTimes> {
  const { definitions } = bot.code
  const states = await taskStates(definitions, { store: bot.store, nowMs: Date.now(), env }).catch(() => [])
  return new Map(states.flatMap(({ file, nextMs }) => (nextMs === undefined ? [] : [[file, nextMs] as const])))
}
