import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import { Waiting } from './conversation/waiting.ts'
import { Disposal } from './dispose/disposal.ts'
import { HandlerRuns } from './handler-runs.ts'
import { forwardSecrets } from '../link/redaction.ts'
import { codeSettings, loadBot } from './load-bot.ts'
import type { Bot } from './host.ts'
import type { Log, LogLevel } from '../author/ports.ts'
import type { Outcome } from '../link/ports.ts'
import type { EventScope } from './event-scope.ts'
import { sourceLine } from '../link/errors/source-line.ts'
import { wholeMessage } from '../link/errors/whole-error.ts'
import { WorkerCalls } from '../link/worker-call.ts'
import { toLoggedError, toPlainError } from '../link/errors/plain-error.ts'
import type { FromWorker, PlainDelivery, ToWorker, WorkerData } from '../link/messages.ts'

// The entry of a worker thread: loads a bot's code and runs its handlers. Feed, journal and calls stay with the supervisor.

// Errors name the line that the author wrote. It must be on before the first module of the bot is loaded.
process.setSourceMapsEnabled(true)

if (!parentPort) throw new Error('worker-main runs as a worker thread only')
const port = parentPort
const send = (message: FromWorker): void => port.postMessage(message)
const { current: shared } = workerData as WorkerData
const current = new Float64Array(shared)
forwardSecrets((secret) => send({ kind: 'secret', secret }))
const calls = new WorkerCalls(send)

/** The bot's files import the framework when their first event arrives: it is loaded before that, but not while the bot starts. */
const WARM_AFTER_MS = 300

let bot: Bot | undefined
let runs: HandlerRuns | undefined
let disposal: Disposal | undefined
let modules: Readonly<Record<string, string>> = {}
let root = ''
let done: number[] = []
const waiting = new Waiting({
  waits: (key, on) => send({ kind: 'waits', key, on }),
  talks: (id, on) => send({ kind: 'talks', id, on }),
})
let scope: EventScope | undefined

const logAt =
  (level: LogLevel) =>
  (facts: object, message: string): void => {
    const plain = Object.fromEntries(
      Object.entries(facts).map(([key, value]) => [
        key,
        value instanceof Error ? toLoggedError(value) : (value as unknown),
      ]),
    )
    try {
      send({ kind: 'log', level, facts: plain, message })
    } catch {
      // What cannot be cloned is told as text.
      send({ kind: 'log', level, facts: { facts: inspect(plain, { breakLength: Infinity }) }, message })
    }
  }
const log: Log = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }

const finish = (id: number): void => {
  if (done.push(id) === 1)
    setImmediate(() => {
      const ids = done
      done = []
      send({ kind: 'done', ids })
    })
}

// Structurally a Delivery: importing its class would load the journal's database into every worker.
const toDelivery = ({ event, attempt }: PlainDelivery): Delivery => ({
  id: event.id,
  event,
  attempt,
  redelivered: attempt > 1,
})

function run(plain: PlainDelivery): void {
  const delivery = toDelivery(plain)
  const { id } = delivery
  current[0] = id
  const result = scope ? scope.run(id, () => runs!.run(bot!, delivery)) : runs!.run(bot!, delivery)
  current[0] = 0
  if (result === undefined) finish(id)
  else void result.then(() => finish(id))
}

async function load({ source, me, config, record, observed }: ToWorker & { kind: 'load' }): Promise<void> {
  try {
    modules = source.modules
    root = source.root
    disposal = new Disposal(source, log)
    if (record) calls.scope = scope = new (await import('./event-scope.ts')).EventScope()
    // Only where something listens: a message for each event is not free.
    const report = observed ? (outcome: Outcome) => send({ kind: 'outcome', outcome }) : undefined
    runs = new HandlerRuns({ clock: systemClock, log, limitMs: config.limits.handlerSeconds * 1000, observe: report })
    const { observe } = runs
    const loaded = await loadBot(source, {
      call: calls.call,
      store: calls.store,
      outbox: calls.outbox,
      waiting,
      park: (id) => runs!.park(id),
      giveUp: (event, reason, file) => send({ kind: 'given up', event, reason, file }),
      clock: systemClock,
      log,
      me,
      ...codeSettings(config),
      callSites: record,
      ...(observe && { observe }),
    })
    bot = scope ? scope.around(loaded) : loaded
    send({ kind: 'loaded', code: { definitions: loaded.definitions, commands: loaded.commands } })
  } catch (error) {
    send({ kind: 'refused', error: toPlainError(error) })
  }
}

async function lifecycle(moment: 'ready' | 'shutdown'): Promise<void> {
  try {
    await bot?.lifecycle(moment)
  } catch (error) {
    log.error({ error }, `events/${moment}.ts: failed`)
  }
  send({ kind: 'lifecycle', moment })
}

async function dispose(): Promise<void> {
  await disposal?.dispose((at) => send({ kind: 'disposing', at }))
  send({ kind: 'disposed' })
}

port.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'run':
      return message.deliveries.forEach(run)
    case 'answer':
      return calls.answer(message.id, message.value)
    case 'refusal':
      return calls.refuse(message.id, message.error)
    case 'ping':
      return send({ kind: 'pong' })
    case 'files':
      return send({
        kind: 'files',
        id: message.id,
        files: message.deliveries.map((plain) => bot?.handlerOf(toDelivery(plain))),
      })
    case 'apologize':
      return void bot?.apologize(toDelivery(message.delivery), message.why)
    case 'lifecycle':
      return void lifecycle(message.moment)
    case 'replaced':
      return waiting.replaced(message.key)
    case 'dispose':
      return void dispose()
    case 'load':
      return void load(message)
  }
})

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

send({ kind: 'warm' })

systemClock.after(WARM_AFTER_MS, () => void import('../index.ts'))
