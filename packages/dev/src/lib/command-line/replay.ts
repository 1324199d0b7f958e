import { type CommandEntry, readEventId, readEventIds } from '@botwright/framework/start'
import type { RecordedBy } from '@botwright/framework/replay'
import { readFile, readProgram, readSince } from './readers.ts'

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
/** The exit code after Ctrl-C. */
const INTERRUPTED = 130

const note = `
With --since, --event or --dry, recorded events run through the current code, and the new answers are compared with the recorded ones.
With --dry, nothing is sent and nothing is stored. Without it, the bot answers again for real: stop the bot first.

With ids, --list or --all, it works on events that were set aside, for example because their handler crashed its worker 3 times.
A running bot runs them again at once, a stopped bot when it starts.`

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .argument('[ids...]', 'ids of events that were set aside', readEventIds, [])
    .option(
      '--since <when>',
      'run recorded events since this time, or in the last 2h, 1d and so on (default: 1d)',
      readSince,
    )
    .option('--dry', 'send nothing, and show the answers', false)
    .option('--type <type>', 'only recorded events of this type')
    .option('--file <file>', 'only events handled by this file', readFile)
    .option('--event <id>', 'only this recorded event: the number after # in "events list"', readEventId)
    .option('--check', 'exit with 1 if an answer differs or an error is new', false)
    .option('--list', 'list the events that were set aside (default)', false)
    .option('--all', 'rerun all events that were set aside', false)
    .option('--json', 'print JSON', false)
    .option('--state <folder>', "folder of the bot's state", '.botwright')
    .option('--from <program>', 'history of "dev" or "start" (default: the newer one)', readProgram)
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
            ? 'error: ids, --list and --all select events that were set aside, the other options recorded events; pass --event <id> for a recorded event'
            : 'error: pass one of --list, --all or ids',
        )
      if (!recorded) {
        const { replayCommand } = await import('@botwright/framework/replay')
        return done(await replayCommand({ ids, all, json, stateDir: state, io }))
      }
      const { replayHistory } = await import('../history/replay-history.ts')
      const stopping = new AbortController()
      let endNow!: (code: number) => void
      const second = new Promise<number>((resolve) => (endNow = resolve))
      const stop = () => {
        if (stopping.signal.aborted) endNow(INTERRUPTED)
        stopping.abort(new Error('stopped by a signal'))
      }
      io.signals.on('SIGINT', stop)
      try {
        const replay = replayHistory({
          io,
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
        })
        done(await Promise.race([replay, second]))
      } finally {
        io.signals.off('SIGINT', stop)
      }
    })
}
