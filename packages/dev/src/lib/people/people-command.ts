import type { ProgramIo } from '@botwright/framework/start'
import { createTerminal } from '../terminal/terminal.ts'
import { type Act, perform } from './act.ts'
import type { BotSearch } from './bot-at-service.ts'
import { findService, PersonAtService } from './person.ts'
import { resultLines, toJson } from './report.ts'
import { follow, openRecording } from './result.ts'

export interface PeopleOptions extends BotSearch {
  io: ProgramIo
  service: string | undefined
  /** The longest time for the bot's handler, in ms. */
  waitMs: number
  json: boolean
}

/** The exit codes, besides 2 for a usage error and 1 for any other failure. */
export const peopleCodes = { answered: 0, waiting: 0, nothing: 3, failed: 4 } as const

/** `framework say`, `dm`, `click`, `react` and `join`: does it, and prints what the bot did. Resolves with the exit code. */
export async function runAct(act: Act, options: PeopleOptions): Promise<number> {
  const { io, bot, waitMs } = options
  const terminal = createTerminal(io)
  const service = await findService(io.cwd, options.service)
  using recording = await openRecording(io, service)
  const person = await PersonAtService.signIn(service, act.who, options.service)
  const result = await follow(person, () => perform(person, act, { ...options, recording }), {
    io,
    bot,
    recording,
    waitMs,
  })
  terminal.print(options.json ? JSON.stringify(toJson(result)) : resultLines(terminal.colors, result).join('\n'))
  return peopleCodes[result.outcome]
}
