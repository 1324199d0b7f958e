import { type CommandModule, readEventIds } from '@botwright/framework/start'
import type { RecordedBy } from '../history/choose-history.ts'
import { readCount, readProgram, readSince } from './read-since.ts'

interface Options {
  since?: number
  dry: boolean
  type?: string
  file?: string
  event?: number
  check: boolean
  list: boolean
  all: boolean
  json: boolean
  state: string
  from?: RecordedBy
}

const DAY_MS = 24 * 60 * 60_000

const note = `
With --since, --event or --dry recorded events run through today's code, and what was answered stands beside what would be.
With --dry nothing is sent and nothing is kept. Without it the bot really answers again: stop it first.

With ids, --list or --all it is about events that were set aside: their handler has brought the bot down 3 times.
A running bot takes them up at once, another one when it starts.`

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .argument('[ids...]', 'events that were set aside, to run again', readEventIds, [])
    .option('--since <when>', 'recorded events from then on: 2h, 1d, or a time (default: 1d)', readSince)
    .option('--dry', 'sends nothing, and shows what would be answered', false)
    .option('--type <type>', 'only recorded events of this type')
    .option('--file <file>', 'only what this file handled')
    .option('--event <id>', 'this recorded event alone, the number behind # in "events list"', readCount)
    .option('--check', 'ends with 1 when an answer differs or an error is new', false)
    .option('--list', 'lists the events that were set aside (default without options)', false)
    .option('--all', 'runs all events again that were set aside', false)
    .option('--json', 'answers in JSON', false)
    .option('--state <folder>', 'where the bot keeps its state', '.botwright')
    .option('--from <program>', 'what "dev" or "start" recorded (default: the one written last)', readProgram)
    .addHelpText('after', note)
    .action(async (ids: number[], options: Options) => {
      const { since, dry, type, file, event, check, list, all, json, state, from } = options
      const recorded =
        since !== undefined ||
        event !== undefined ||
        dry ||
        type !== undefined ||
        file !== undefined ||
        from !== undefined ||
        check
      if ([list, all, ids.length > 0, recorded].filter(Boolean).length > 1)
        command.error(
          recorded
            ? 'error: ids, --list and --all are about events that were set aside, the other options about recorded ones; give --event <id> for a recorded one'
            : 'error: give --list, --all or ids, one of the three',
        )
      if (!recorded) {
        const { replayCommand } = await import('@botwright/framework/replay')
        return done(await replayCommand({ ids, all, json, stateDir: state }))
      }
      const { replayHistory } = await import('../history/replay-history.ts')
      const stopping = new AbortController()
      process.once('SIGINT', () => {
        stopping.abort(new Error('stopped by a signal'))
        process.exit(130)
      })
      done(
        await replayHistory({
          folder: process.cwd(),
          state,
          sinceMs: since ?? Date.now() - DAY_MS,
          dry,
          check,
          json,
          ...(from !== undefined && { from }),
          ...(type !== undefined && { type }),
          ...(file !== undefined && { file }),
          ...(event !== undefined && { id: event }),
          signal: stopping.signal,
        }),
      )
    })
}
