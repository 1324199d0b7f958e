import {
  answersOf,
  answerWords,
  explainCommand,
  type ExplainOptions,
  type RecordedEvent,
  type ReplayedEvent,
} from '@botwright/framework/replay'
import { loadEnvFile } from '@botwright/framework/start'
import { BotwrightError, printableLine } from '@botwright/protocol/facts'
import { type Colors, createTerminal } from '../terminal/terminal.ts'
import type { Verdict } from './compare.ts'
import { replayHistory } from './replay-history.ts'

interface RunExplainOptions extends Omit<ExplainOptions, 'again' | 'print' | 'note' | 'colors'> {
  /** Also runs the event with the code of the folder. */
  again: boolean
}

/** `framework explain` on a computer with the bot's source. Resolves with the exit code. Throws `ERR_CONFIG`. */
export function runExplain({ again, ...options }: RunExplainOptions): Promise<number> {
  const { io } = options
  loadEnvFile(io.cwd, io.env)
  const { print: note } = createTerminal(io, io.stderr)
  const { print, colors } = createTerminal(io)
  if (again && typeof options.event === 'object' && 'task' in options.event)
    throw new BotwrightError('ERR_CONFIG', '--again runs events, not tasks: to run a task again, schedule it')
  const run = (event: RecordedEvent) => answerAgain(event, options, colors)
  return explainCommand({ ...options, print, note, colors, ...(again && { again: run }) })
}

const verdicts: Readonly<Record<Verdict, string>> = {
  same: 'the same answer',
  different: 'another answer',
  error: 'a new error',
  fixed: 'the error is fixed',
  unhandled: 'no file handles it, as before',
  skipped: 'it was not run',
}

/** Runs an event with the code of the folder, without sending anything. */
async function answerAgain(
  event: RecordedEvent,
  { io, state, from }: Pick<ExplainOptions, 'io' | 'state' | 'from'>,
  { bold, red, dim }: Colors,
): Promise<{ json: object; lines: readonly string[] }> {
  const found = new Map<number, { replayed: ReplayedEvent; verdict: Verdict }>()
  const code = await replayHistory({
    ...{ io, state, sinceMs: 0, dry: true, seq: event.seq, json: false, check: false },
    signal: new AbortController().signal,
    ...(from !== undefined && { from }),
    each: (replayed, verdict) => void found.set(replayed.event.seq, { replayed, verdict }),
  })
  const own = found.get(event.seq)
  if (!own)
    throw new BotwrightError(
      'ERR_CONFIG',
      code === 0
        ? `event ${event.id} cannot be run again`
        : 'the current code does not load; the errors above name the files',
    )
  // Of a burst, the event whose handler ran.
  const { replayed, verdict } = found.get(own.replayed.ranWith ?? event.seq) ?? own
  const { result, file, error, at, calls } = replayed
  const answers = answersOf(calls).map((call) => printableLine(answerWords(call)))
  return {
    json: { verdict, result, ...(file !== undefined && { file }), ...(error !== undefined && { error, at }), calls },
    lines: [
      bold(`with the current code: ${verdicts[verdict]}`),
      ...(error === undefined ? [] : [`  ${red(printableLine(`${at === undefined ? '' : `${at}  `}${error}`))}`]),
      ...answers.map((answer) => `  ${answer}`),
      ...(answers.length === 0 && error === undefined ? [dim('  nothing is answered')] : []),
    ],
  }
}
