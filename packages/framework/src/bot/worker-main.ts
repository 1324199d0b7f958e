import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { Log, LogLevel } from '../author/ports.ts'
import { toLoggedError } from '../link/errors/plain-error.ts'
import { sourceLine } from '../link/errors/source-line.ts'
import { wholeMessage } from '../link/errors/whole-error.ts'
import { type Frame, Link } from '../link/link.ts'
import type { BotPort, LoadRequest, PlainDelivery, RuntimePort, WorkerData } from '../link/messages.ts'
import type { LoadedCode } from '../link/ports.ts'
import { forwardSecrets } from '../link/redaction.ts'
import { Waiting } from './conversation/waiting.ts'
import { linkedServices } from './linked-services.ts'
import { RunningCode } from './running-code.ts'

// The entry of a worker thread: loads a bot's code and runs its handlers. Feed, journal and calls stay with the supervisor.

// Errors name the line that the author wrote. It must be on before the first module of the bot is loaded.
process.setSourceMapsEnabled(true)

if (!parentPort) throw new Error('worker-main runs as a worker thread only')
const port = parentPort
const { current: shared } = workerData as WorkerData
const current = new Float64Array(shared)

/** The bot's files import the framework when their first event arrives: it is loaded before that, but not while the bot starts. */
const WARM_AFTER_MS = 300

let code: RunningCode | undefined
let modules: Readonly<Record<string, string>> = {}
let root = ''

// Structurally a Delivery: importing its class would load the journal's database into every worker.
const toDelivery = ({ event, attempt }: PlainDelivery): Delivery => ({
  id: event.id,
  event,
  attempt,
  redelivered: attempt > 1,
})

const link: Link<BotPort, RuntimePort> = new Link({
  post: (frames) => port.postMessage(frames),
  local: {
    bot: {
      load,
      run(plain) {
        current[0] = plain.event.id
        const running = code!.run(toDelivery(plain))
        current[0] = 0
        return running
      },
      files: (deliveries) => deliveries.map((plain) => code?.handlerOf(toDelivery(plain))),
      apologize: (plain, why) => void code?.apologize(toDelivery(plain), why),
      lifecycle: async (moment) => code?.lifecycle(moment),
      replaced: (key) => waiting.replaced(key),
      dispose: async () => code?.dispose((at) => (link.notify.reports.disposing(at), link.flush())),
      ping: () => {},
    },
  } satisfies BotPort,
})
const { reports } = link.notify

port.on('message', (frames: readonly Frame[]) => link.receive(frames))
// What a handler asked for in the turn in which it ends the thread.
process.on('exit', () => link.flush())
forwardSecrets((secret) => {
  reports.secret(secret)
  link.flush()
})

const waiting = new Waiting({
  waits: (key, on) => reports.waits(key, on),
  talks: (id, on) => reports.conversation(id, on),
})

const logAt =
  (level: LogLevel) =>
  (facts: object, message: string): void => {
    const plain = Object.fromEntries(
      Object.entries(facts).map(([key, value]) => [
        key,
        value instanceof Error ? toLoggedError(value) : (value as unknown),
      ]),
    )
    // It leaves now: the handler may block its thread from here on.
    try {
      reports.log(level, plain, message)
      link.flush()
    } catch {
      // What cannot be cloned is logged as text.
      reports.log(level, { facts: inspect(plain, { breakLength: Infinity }) }, message)
      link.flush()
    }
  }
const log: Log = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }

async function load({ source, me, config, record, observed }: LoadRequest): Promise<LoadedCode> {
  modules = source.modules
  root = source.root
  const scope = record ? new (await import('./event-scope.ts')).EventScope() : undefined
  code = await RunningCode.load(source, {
    ...linkedServices(link, scope),
    ...{ clock: systemClock, log, me, config, waiting, scope },
    giveUp: (event, reason, file) => reports.deadLetter(event, reason, file),
    ...(observed && { observe: (outcome) => reports.outcome(outcome) }),
  })
  return code.loaded
}

/** Where in the bot an error's stack runs through: in a module as it was loaded, or, where stacks are mapped, in its source. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const [file, path] = Object.entries(modules).find(([, one]) => stack.includes(one)) ?? []
  if (file === undefined || path === undefined) return sourceLine(error, root)
  const row = /^:\d+/.exec(stack.slice(stack.indexOf(path) + path.length))
  return file + (row?.[0] ?? '')
}

// A promise that nobody awaited harms nobody else: it is told, with its file, and the worker goes on.
process.on('unhandledRejection', (reason) => {
  const at = placeOf(reason) ?? 'the bot'
  log.error(
    { code: 'ERR_HANDLER', file: at.replace(/:\d+$/, ''), error: reason },
    `${at}: a promise that no code awaits was rejected: ${wholeMessage(reason)}`,
  )
})

systemClock.after(WARM_AFTER_MS, () => void import('../index.ts'))
