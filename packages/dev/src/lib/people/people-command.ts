import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answersOf, answerWords, History, type RecordedCall, type RecordedEvent } from '@botwright/framework/replay'
import { BotwrightError, printableBlock, printableLine } from '@botwright/protocol/facts'
import { chooseHistory } from '../history/choose-history.ts'
import { serviceAccess } from '../service-access.ts'
import { createTerminal, duration, type Terminal } from '../terminal.ts'
import { click, type Action, dm, join as joinServer, react, say } from './actions.ts'
import { findService, PersonAtService } from './person.ts'

export interface PeopleOptions {
  folder: string
  service: string | undefined
  /** The longest time for the bot's handler, in ms. */
  waitMs: number
  json: boolean
}

export type Act =
  | { verb: 'say'; who: string; where: string; content: string }
  | { verb: 'dm'; who: string; content: string }
  | { verb: 'click'; who: string; where: string; label: string; on: string | undefined }
  | { verb: 'join'; who: string; server: string | undefined }
  | { verb: 'react'; who: string; where: string; emoji: string; on: string | undefined }

/** The exit codes, besides 2 for a usage error. */
const codes = { answered: 0, error: 1, nothing: 3, failed: 4 } as const

const LOOK_MS = 50
/** A handler that made calls and then none for so long waits for a person: `ctx.ask`. */
const QUIET_MS = 1000

/** `framework say`, `dm`, `click` and `react`: does it, and prints what the bot did. Resolves with the exit code. */
export async function runAct(act: Act, options: PeopleOptions, terminal: Terminal = createTerminal()): Promise<number> {
  const service = await findService(options.folder, options.service)
  const history = openHistory(options.folder)
  try {
    const person = await PersonAtService.signIn(service, act.who)
    const [since, waiting] = [history.lastSeq, waitingIn(history)]
    const action = await perform(person, act, options.folder)
    const event = await fateOf(history, action, { since, waiting, waitMs: options.waitMs })
    const outcome = outcomeOf(event)
    if (options.json) terminal.print(JSON.stringify(toJson(action, event, outcome)))
    else show(terminal, action, event, outcome, options.waitMs)
    return codes[outcome]
  } finally {
    history.close()
  }
}

/** `framework dev` records each event with its result, which is how the end of a handler is known. */
function openHistory(folder: string): History {
  try {
    return new History(chooseHistory(join(folder, '.botwright'), 'dev', () => {}))
  } catch (error) {
    throw new BotwrightError(
      'ERR_CONFIG',
      'no recording of "framework dev" was found in this folder: run this command in the folder of the bot, while framework dev runs',
      { cause: error },
    )
  }
}

async function perform(person: PersonAtService, act: Act, folder: string): Promise<Action> {
  switch (act.verb) {
    case 'say':
      return say(person, act.who, act.where, act.content)
    case 'dm':
      return dm(person, act.who, await botIdOf(folder), act.content)
    case 'click':
      return click(person, act.who, act)
    case 'join':
      return joinServer(person, act.who, act.server)
    case 'react':
      return react(person, act.who, act)
  }
}

async function botIdOf(folder: string): Promise<string> {
  const { token, baseUrl } = await serviceAccess(folder)
  const answer = await fetch(`${baseUrl}/me`, { headers: { authorization: `Bot ${token}` } })
  if (!answer.ok) throw new BotwrightError('ERR_REFUSED', `GET /me: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

/** An event whose handler has not ended: it may wait for an answer. */
interface Waiting {
  seq: number
  calls: number
}

const waitingIn = (history: History): Waiting[] =>
  history
    .events({ limit: 100 })
    .filter(({ result }) => result === 'unfinished')
    .map(({ seq, calls }) => ({ seq, calls: calls.length }))

/**
 * The event of an action when its handler has ended, or as it is at the end of the wait. If another handler waited for this answer, its
 * event with its calls since then.
 */
async function fateOf(
  history: History,
  action: Action,
  { since, waiting, waitMs }: { since: number; waiting: readonly Waiting[]; waitMs: number },
): Promise<RecordedEvent | undefined> {
  const endMs = performance.now() + waitMs
  let found: RecordedEvent | undefined
  let calls = 0
  let quietSinceMs = performance.now()
  for (;;) {
    found = history.events(found ? { seqs: [found.seq] } : { afterSeq: since }).find(action.isEvent) ?? found
    const nowMs = performance.now()
    const isQuiet = nowMs - quietSinceMs > QUIET_MS
    if (found?.result === 'none' && waiting.length > 0) {
      const continued = continuedOf(history, waiting)
      if (continued) return continued
      if (isQuiet) return found
    } else if (found && found.result !== 'unfinished') return found
    if (found && found.calls.length > calls) {
      calls = found.calls.length
      quietSinceMs = nowMs
    }
    if (nowMs > endMs || (calls > 0 && isQuiet)) return found
    await sleep(LOOK_MS)
  }
}

/** The event of the handler that went on, with its new calls. */
function continuedOf(history: History, waiting: readonly Waiting[]): RecordedEvent | undefined {
  for (const event of history.events({ seqs: waiting.map(({ seq }) => seq) })) {
    const before = waiting.find(({ seq }) => seq === event.seq)!
    if (event.result === 'unfinished' && event.calls.length === before.calls) continue
    return { ...event, calls: event.calls.slice(before.calls) }
  }
  return undefined
}

function outcomeOf(event: RecordedEvent | undefined): keyof typeof codes {
  if (!event) return 'nothing'
  if (['error', 'timed_out', 'crashed', 'dead_lettered'].includes(event.result)) return 'failed'
  return answersOf(event.calls).some(({ code }) => code === undefined) ? 'answered' : 'nothing'
}

function toJson(action: Action, event: RecordedEvent | undefined, outcome: string) {
  const { id, type, result, file, ms, error, at } = event ?? {}
  return {
    outcome,
    did: action.ids,
    event: event && { id, type, result, file, ms, error, at },
    answers: answersOf(event?.calls ?? []).map(({ name, input, code, error: fault, created }) => ({
      ...{ call: name, input, created, code, error: fault },
    })),
  }
}

function show(
  terminal: Terminal,
  action: Action,
  event: RecordedEvent | undefined,
  outcome: keyof typeof codes,
  waitMs: number,
): void {
  const { dim, cyan, red, yellow } = terminal.colors
  const lines = [dim(printableLine(action.words))]
  if (event?.file !== undefined) {
    const time = event.ms === undefined ? '' : `  ${dim(duration(event.ms))}`
    lines.push(`${cyan(printableLine(event.file))}  ${dim(`event ${event.id}`)}${time}`)
  }
  for (const call of answersOf(event?.calls ?? [])) lines.push(...answerLines(call, red))
  if (outcome === 'failed') {
    const place = event?.at === undefined ? '' : `${printableLine(event.at)}  `
    lines.push(red(`✘ ${place}${printableBlock(event?.error ?? resultOf(event))}`))
  } else if (event?.result === 'refused') lines.push(yellow(`– refused: ${printableBlock(event.error ?? '')}`))
  else if (event?.result === 'unfinished') lines.push(yellow('… its handler still runs, or waits for an answer'))
  else if (outcome === 'nothing') lines.push(yellow(`– the bot did nothing: ${whyNothing(event, waitMs)}`))
  terminal.print(lines.join('\n'))
}

/** An answer with its whole text, and its buttons. */
function answerLines(call: RecordedCall, red: (text: string) => string): string[] {
  const { content, ...rest } = (call.input ?? {}) as { content?: unknown }
  if (call.code !== undefined) return [red(`  ${answerWords(call)}`)]
  if (typeof content !== 'string' || !content.includes('\n')) return [`  ${answerWords(call)}`]
  const words = answerWords({ ...call, input: rest }).trimEnd()
  return [`  ${words}`, ...content.split('\n').map((line) => `    ${printableLine(line)}`)]
}

const resultOf = (event: RecordedEvent | undefined): string => (event?.result ?? '').replace('_', ' ')

function whyNothing(event: RecordedEvent | undefined, waitMs: number): string {
  if (!event)
    return `it did not receive the event within ${duration(waitMs)}; see the terminal of framework dev, or whether the bot is in this channel`
  if (event.result === 'none') return 'no file handles the event'
  if (event.result === 'skipped') return event.error ?? 'the event was skipped'
  return event.calls.length > 0 ? 'its calls failed' : 'its handler ended without an answer'
}
