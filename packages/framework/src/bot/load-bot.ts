import { BotwrightError } from '@botwright/protocol/facts'
import type { Call, CallOptions } from '@botwright/rest'
import { createClient } from '@botwright/rest/client'
import type { Config } from '../author/config/config.ts'
import { createQuestions } from './conversation/questions.ts'
import { Waiting } from './conversation/waiting.ts'
import { storingSpilled, SpilledParams } from './buttons/spilled-params.ts'
import { createDispatch } from './dispatch.ts'
import type { DurableRuns } from './durable/durable-runs.ts'
import type { RunStore } from '../link/durable/run-store.ts'
import type { RunCommand } from '../author/tools.ts'
import { describeCommand } from './commands/describe-command.ts'
import { commandCountWarning, registeredCommands } from './commands/registered.ts'
import { withCallSite } from '../link/errors/call-site.ts'
import { mapStacks, sourceLine } from '../link/errors/source-line.ts'
import { codeOf } from '../author/error-code.ts'
import { createLoader } from './loader.ts'
import type { Bot, BotHost } from './host.ts'
import type { RecordedHost } from './recorded-host.ts'
import type { BotSource, Outbox } from '../link/ports.ts'
import type { Definition, Entry } from '../author/files/entries.ts'
import { buttonMaker } from './named-button.ts'
import { paramTypes } from '../author/params/param-types.ts'
import type { Defined } from '../author/definition.ts'
import { BotLoops } from './bot-loops.ts'
import { isTaskDelivery } from '../link/tasks/task-event.ts'
import { MemoryStore } from '../author/state/memory-store.ts'
import type { BotServices } from './services.ts'
import { createTexts } from './bot-texts.ts'
import { isState, rulesOf } from '../author/state/record.ts'
import { hasHelp, helpCommand, helpEntry } from './commands/help-text.ts'
import type { Handler } from './compile-handler.ts'
import { commandRunner } from './commands/run-tool.ts'
import { pluginServices } from './plugins/plugin-services.ts'
import { SharedEvents } from './shared-events.ts'
import { withWakes } from './durable/with-wakes.ts'
import { createTasks } from './tasks/task-handlers.ts'

const HANDLER_SECONDS = 60

/** A call with any name: `Call` has a type for each. */
type AnyCall = (name: string, input: unknown, options?: CallOptions) => Promise<unknown>

// With `source.definitions` a module waits for its first event or for `loadRest`, unless it is new or `eager`. Errors name every invalid
// file, the fact and the fix.
/** Loads the modules of a bot. Throws `ERR_DEFINITION`, `ERR_CONFLICT` or `ERR_CUSTOM_ID`. */
export async function loadBot(source: BotSource, host: BotHost): Promise<Bot> {
  if (!host.tracing) return load(source, host)
  const { createTracing } = await import('./trace-bot.ts')
  const tracing = createTracing(source.root, host)
  return tracing.trace(await load(source, tracing.host))
}

async function load(source: BotSource, host: RecordedHost): Promise<Bot> {
  // So that errors name the author's own lines.
  mapStacks()
  const { entries } = source.manifest
  const known = new Map(source.definitions?.map((one) => [one.file, one]))
  const ownFile = entries.some(({ file }) => file === helpEntry.file)
  const { scope } = host
  // Loaded only for recorded bots.
  const record = scope && (await import('./recording/recorded-code.ts')).recordedCode(scope, source)
  const builtIn = new Map(ownFile ? [] : [[helpEntry.file, helpCommand]])
  const loader = createLoader(source, { builtIn, record })
  const now = entries.filter((entry) => !known.has(entry.file) || source.eager?.includes(entry.file))
  const fresh = await loadAll(now, { load: loader.load, root: source.root })

  const definitions = entries.map((entry) => definitionOf(entry, fresh.get(entry.file), known.get(entry.file)))

  const help = host.help !== false && entries.some(({ kind }) => kind === 'command') && !hasHelp(definitions)
  const texts = createTexts(host.language)
  const commands = registeredCommands(definitions, { help, say: (words) => texts.in(host.language ?? 'en', words) })
  const warning = commandCountWarning(commands)
  if (warning !== undefined) host.log.warn({ commands: commands.length }, warning)
  const waiting = host.waiting ?? new Waiting()
  let api: ReturnType<typeof createClient> | undefined
  let runCommand: RunCommand | undefined
  const store = host.store ?? new MemoryStore(host.clock)
  let storedRuns: RunStore | undefined
  const shared = new SharedEvents((event) => host.park?.(event))
  const questions = createQuestions({
    ...{ clock: host.clock, log: host.log, store, waiting },
    park: ({ event, file }) => shared.park(event, file),
    expects: (key) => storedRuns?.replace(key),
  })
  const spilled = new SpilledParams({ store, clock: host.clock, log: host.log })
  const call = withCallSite(
    storingSpilled(host.call, spilled) as unknown as AnyCall,
    host.callSites === true,
  ) as unknown as Call
  const services: BotServices = {
    call,
    answersLeft: host.answersLeft,
    clock: host.clock,
    log: host.log,
    me: host.me,
    definitions,
    texts,
    handlerSeconds: host.handlerSeconds ?? HANDLER_SECONDS,
    loops: new BotLoops(host.clock, host.log),
    store: scope ? (await import('./recording/recorded-store.ts')).recordedStore(store, scope) : store,
    scope,
    outbox: host.outbox ?? noOutbox,
    questions,
    // Frozen here, because passing a value between threads unfreezes it.
    env: Object.freeze(host.env ?? {}),
    spilled,
    button: buttonMaker(entries, loader.definedBy),
    states: loader.states,
    tasks: { names: new Set(loader.tasks.keys()), schemaOf: loader.payloadOf, store },
    runCommand: (...given) => (runCommand ??= commandRunner(handlers, services, loader.ready))(...given),
    get api() {
      return (api ??= createClient(call))
    },
  }
  const ofPlugins = source.manifest.plugins || host.plugins ? await pluginServices(services, source, host) : undefined
  const handlers = entries.flatMap((one, i): Handler[] => {
    if (one.kind === 'middleware' || one.kind === 'state') return []
    // Only a command's definition has more than its location.
    const entry = one.kind === 'command' ? definitions[i]! : one
    const own = entry.plugin === undefined ? undefined : ofPlugins?.get(entry.plugin)
    return own ? [{ entry, services: own }] : [{ entry }]
  })
  // Prepare handlers whose files are loaded, so that their first event is as fast as the others.
  // Requested tasks load everything they need now, because a test's clock would not wait for it.
  const atOnce = source.definitions
    ? handlers.filter(({ entry }) => entry.kind === 'task' && source.eager?.includes(entry.file))
    : handlers
  await Promise.all(atOnce.map(loader.ready))
  if (help) handlers.push({ entry: helpEntry })
  // Loaded only for bots with durable handlers.
  const durable = definitions.some((one) => one.durable) ? await import('./durable/durable-runs.ts') : undefined
  if (durable) storedRuns = new (await import('../link/durable/run-store.ts')).RunStore(store)
  const runs: DurableRuns | undefined =
    durable &&
    new durable.DurableRuns({
      ...{ ...host, waiting, root: source.root, services, handlers, createQuestions, ready: loader.ready },
      contextOf: (...given) => events.contextOf(...given),
      loading: source.loading,
      codeId: source.codeId,
    })
  const events = createDispatch(
    handlers,
    services,
    { ...host, waiting, shared, durable: runs },
    source.root,
    loader.ready,
  )
  const dispatch = runs ? withWakes(events, runs, scope) : events
  const loadRest = async () =>
    (await import('./load-rest.ts')).loadRest(handlers, { loader, entries, host, root: source.root })
  const loaded = { definitions, commands, ...(source.definitions && { loadRest }) }
  if (loader.tasks.size === 0) return { ...loaded, ...dispatch }
  const tasks = createTasks(handlers, services, host, source.root, loader.ready)
  return {
    ...loaded,
    handlerOf: (delivery) => (isTaskDelivery(delivery) ? tasks : dispatch).handlerOf(delivery),
    running: dispatch.running,
    hasOnlyCalls: dispatch.hasOnlyCalls,
    handle: (delivery) => (isTaskDelivery(delivery) ? tasks : dispatch).handle(delivery),
    // A task has no user who waits for an answer.
    apologize: (delivery, why) => (isTaskDelivery(delivery) ? Promise.resolve() : dispatch.apologize(delivery, why)),
    lifecycle: dispatch.lifecycle,
  }
}

const notRunning = () => Promise.reject(new Error('this bot is loaded but not running: it cannot send broadcasts'))
const noOutbox: Outbox = { broadcasts: { start: notRunning, next: notRunning, cancel: notRunning }, budget: notRunning }

/** The metadata of an entry: for a module that is not loaded now, its former metadata. */
function definitionOf(entry: Entry, defined: Defined | undefined, known: Definition | undefined): Definition {
  const guards = defined ? defined.guards?.map((guard) => guard.describe) : known?.guards
  const params = defined ? paramTypes(defined.params) : known?.params
  const own =
    entry.kind === 'command' && (defined || known?.description === undefined)
      ? describeCommand(entry, defined)
      : { ...(!defined && known), ...entry }
  const schedule = defined?.times
  const state = defined && isState(defined) ? defined[rulesOf] : undefined
  return {
    ...own,
    ...(schedule && { schedule }),
    ...(state && { scope: state.scope }),
    ...(state && state.rules.version > 1 && { version: state.rules.version }),
    ...(params && { params }),
    ...((defined ? defined.durable : known?.durable) && { durable: true as const }),
    ...(guards && guards.length > 0 && { guards }),
  }
}

type Settings = Pick<
  BotHost,
  'answerBots' | 'env' | 'handlerSeconds' | 'hiddenEnv' | 'help' | 'language' | 'plugins' | 'tracing'
>

// The settings from a bot's configuration that its code is loaded with, in any thread.
export function codeSettings(config: Omit<Config, 'store'>): Settings {
  const { answerBots, env, help, hiddenEnv, language, limits, plugins, tracing } = config
  return {
    answerBots,
    handlerSeconds: limits.handlerSeconds,
    help,
    tracing,
    ...(language && { language }),
    ...(env && { env }),
    ...(hiddenEnv && { hiddenEnv }),
    ...(plugins && { plugins }),
  }
}

/** Loads files concurrently, and reports all invalid ones at once. */
async function loadAll(
  entries: readonly Entry[],
  { load, root }: { load: (entry: Entry) => Promise<Defined>; root: string },
): Promise<Map<string, Defined>> {
  const results = await Promise.allSettled(entries.map(load))
  const loaded = new Map<string, Defined>()
  const all: unknown[] = []
  results.forEach((result, i) => {
    const entry = entries[i]
    if (result.status === 'rejected') all.push(result.reason)
    else if (entry) loaded.set(entry.file, result.value)
  })
  if (all.length === 0) return loaded
  const reasons = ownReasons(all)
  const [first] = reasons
  if (reasons.length === 1) throw first
  const text = reasons.map((reason) => placedReason(reason, root)).join('\n')
  throw new BotwrightError(codeOf(first) ?? 'ERR_DEFINITION', text, { cause: first })
}

/** The message of an error, with the line of the bot's own code that threw it: `commands/ping.ts:3 cannot be loaded: …`. */
function placedReason(reason: unknown, root: string): string {
  if (!(reason instanceof Error)) return String(reason)
  const at = sourceLine(reason.cause, root)
  if (at === undefined) return reason.message
  const file = at.replace(/:\d+$/, '')
  return reason.message.startsWith(`${file} `)
    ? `${at}${reason.message.slice(file.length)}`
    : `${at}: ${reason.message}`
}

/** A module that cannot be linked fails once for each file that imports it; in a cycle Node reports all but the first as "not in cache". */
function ownReasons(reasons: readonly unknown[]): unknown[] {
  const causes = new Set<string>()
  const own = reasons.filter((reason) => {
    const { cause } = reason as { cause?: unknown }
    if (!(cause instanceof SyntaxError)) return !(cause instanceof Error && cause.message.endsWith('is not in cache'))
    return !causes.has(cause.message) && causes.add(cause.message)
  })
  return own.length > 0 ? own : [...reasons]
}
