import { createTerminal, type Terminal } from '../terminal.ts'
import { type Act, perform } from './act.ts'
import { fateOf, openHistory, outcomeOf, waitingIn } from './fate.ts'
import { findService, PersonAtService } from './person.ts'
import { resultLines, toJson } from './report.ts'
import { printableLine } from '@botwright/protocol/facts'

export interface PeopleOptions {
  folder: string
  service: string | undefined
  /** The longest time for the bot's handler, in ms. */
  waitMs: number
  json: boolean
}

/** The exit codes, besides 2 for a usage error and 1 for any other failure. */
const codes = { answered: 0, nothing: 3, failed: 4 } as const

/** `framework say`, `dm`, `click`, `react` and `join`: does it, and prints what the bot did. Resolves with the exit code. */
export async function runAct(act: Act, options: PeopleOptions, terminal: Terminal = createTerminal()): Promise<number> {
  const service = await findService(options.folder, options.service)
  const history = openHistory(options.folder)
  try {
    const person = await PersonAtService.signIn(service, act.who)
    const [since, waiting] = [history.lastSeq, waitingIn(history)]
    const action = await perform(person, act, options.folder)
    const event = await fateOf(history, action, { since, waiting, waitMs: options.waitMs })
    if (options.json) terminal.print(JSON.stringify(toJson(action, event)))
    else {
      const { colors } = terminal
      const lines = [colors.dim(printableLine(action.words)), ...resultLines(colors, event, options.waitMs)]
      terminal.print(lines.join('\n'))
    }
    return codes[outcomeOf(event)]
  } finally {
    history.close()
  }
}
