import { BotwrightError } from '@botwright/protocol/facts'
import { createClient } from '@botwright/rest/client'
import type { Config } from '../../author/config/config.ts'
import { Waiting } from '../conversation/waiting.ts'
import { storingSpilled, SpilledParams } from '../buttons/spilled-params.ts'
import { createDispatch, sharedEvents, withSwitches } from '../dispatch.ts'
import { describeCommand } from '../commands/describe-command.ts'
import { hasHelp, helpEntry, registeredCommands } from '../commands/registered.ts'
import { withCallSite } from '../../link/errors/call-site.ts'
import { type Handle, type Layer, layerOf } from '../layer.ts'
import { mapStacks, sourceLine } from '../../link/errors/source-line.ts'
import { codeOf } from '../../author/error-code.ts'
import { createLoader } from './loader.ts'
import {
  openEventFiles,
  openForHandlers,
  helpCommand,
  openDurableHandlers,
  openOwn,
  openPlugins,
  openResources,
  openSwitches,
} from './open-layers.ts'
import type { Bot, BotHost } from '../host.ts'
import type { BotSource, Outbox } from '../../link/ports.ts'
import type { SwitchedDelivery } from '../../link/switched-off.ts'
import type { Definition, Entry } from '../../author/files/entries.ts'
import { buttonMaker } from '../named-button.ts'
import { paramTypes } from '../../author/params/param-types.ts'
import type { Defined } from '../../author/definition.ts'
import { BotLoops } from '../bot-loops.ts'
import { isOwnDelivery } from '../../link/task-event.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import type { BotServices } from '../services.ts'
import { createTexts } from '../bot-texts.ts'
import { StateAreas } from '../../author/state/areas.ts'
import { isState, rulesOf } from '../../author/state/record.ts'
import type { Handler } from '../compile-handler.ts'
import type { EventFiles } from '../event-files.ts'

const HANDLER_SECONDS = 60

/** A host with the handlers of this thread that wait for answers, which outlive the bot's code. */
export type LayeredHost = BotHost & { waiting?: Waiting }

/** Loads a bot with the layers of its features. `open`: of a bot with resources, to call before its first handler runs. */
export async function loadLayered(source: BotSource, given: LayeredHost, opened: Layer) {
  // So that errors name the author's own lines. Workers have no source maps.
  if (!source.bundled) mapStacks()
  const store = given.store ?? new MemoryStore(given.clock)
  const spilled = new SpilledParams({ store, clock: given.clock, log: given.log })
  const layer = layerOf([
    { call: (call) => withCallSite(call, given.callSites === true) },
    storingSpilled(spilled),
    opened,
    given.observe ? { outcome: given.observe } : {},
  ])
  const waiting = given.waiting ?? new Waiting()
  const host = { ...given, waiting, ...(layer.outcome && { observe: layer.outcome }) }
  const { entries } = source.manifest
  const ownFile = entries.some(({ file }) => file === helpEntry.file)
  const builtIn = new Map(ownFile ? [] : [[helpEntry.file, helpCommand]])
  const loader = createLoader(source, { builtIn, layer })
  const definitions = await readDefinitions(source, loader)
  const help = host.help !== false && entries.some(({ kind }) => kind === 'command') && !hasHelp(definitions)
  const texts = createTexts(host.language)
  const commands = () => registeredCommands(definitions, { help, say: (one) => texts.in(host.language ?? 'en', one) })
  const files: { of?: EventFiles | undefined } = {}
  const [ofDurable, { createQuestions, timers, commandRunner }] = await Promise.all([
    openDurableHandlers(definitions),
    openForHandlers(),
  ])
  const durableHandlers = ofDurable?.(store)
  const questions = createQuestions({
    ...{ clock: host.clock, log: host.log, store, waiting },
    park: ({ event, file }) => (files.of ? files.of.park(event, file) : host.park?.(event)),
    ...(durableHandlers && { expects: durableHandlers.replace }),
  })
  const services = createServices(host, {
    ...{ definitions, layer, questions, spilled, texts },
    store: layer.store?.(store) ?? store,
    button: buttonMaker(entries, loader.definedBy),
    areas: (ground) => new StateAreas(loader.states, ground),
    tasks: { names: new Set(loader.tasks.keys()), schemaOf: loader.payloadOf, store, timers },
    runCommand: (...command) => runCommand(...command),
  })
  const ofPlugins = await openPlugins(services, source, host)
  const handlers = handlersOf(entries, definitions, ofPlugins)
  const runCommand = commandRunner({
    handlers,
    services,
    ready: loader.ready,
    unlessOff: (...one) => events.unlessOff(...one),
  })
  // Prepare handlers whose files are loaded, so that their first event is as fast as the others.
  // Requested tasks load everything they need now, because a test's clock would not wait for it.
  const atOnce = source.definitions
    ? handlers.filter(({ entry }) => entry.kind === 'task' && source.eager?.includes(entry.file))
    : handlers
  await Promise.all(atOnce.map(loader.ready))
  if (help) handlers.push({ entry: helpEntry })
  const { root } = source
  const durable = durableHandlers?.open({
    ...{ ...host, root, services, handlers, createQuestions, ready: loader.ready },
    contextOf: (...delivered) => events.contextOf(...delivered),
    loading: source.loading,
    codeId: source.codeId,
  })
  const switched: { off?: SwitchedDelivery['off'] } = {}
  const openFiles = sharedEvents(handlers).length > 0 ? await openEventFiles() : undefined
  const events = createDispatch(handlers, services, {
    ...{ ...host, durable, root, openFiles, openSwitches, switched },
    ready: loader.ready,
  })
  files.of = events.files
  const dispatch = durable?.around(events) ?? events
  const ownHost = { handlers, services, host, root, ready: loader.ready }
  const own = new Map([...(await openOwn(source))].map(([type, handling]) => [type, handling(ownHost)]))
  const loadRest = async () => (await import('./load-rest.ts')).loadRest(handlers, { loader, entries, host, root })
  const servicesOf = ({ plugin = '' }: Entry) => ofPlugins?.get(plugin) ?? services
  const open = await openResources({ entries, load: loader.load, servicesOf, root })
  const bot = withSwitches(own.size > 0 ? withOwn(dispatch, own) : dispatch, switched)
  return { definitions, commands, open, ...(source.definitions && { loadRest }), ...layered(bot, layer) }
}

type Handling = Omit<Bot, 'definitions' | 'commands' | 'loadRest'>

type OfCode = 'definitions' | 'layer' | 'questions' | 'spilled' | 'texts' | 'store' | 'button' | 'areas' | 'tasks'

/** The services of a bot. */
function createServices(host: BotHost, parts: Pick<BotServices, OfCode | 'runCommand'>): BotServices {
  const call = parts.layer.call?.(host.call) ?? host.call
  let api: ReturnType<typeof createClient> | undefined
  return {
    ...parts,
    call,
    answersLeft: host.answersLeft,
    clock: host.clock,
    log: host.log,
    me: host.me,
    handlerSeconds: host.handlerSeconds ?? HANDLER_SECONDS,
    loops: new BotLoops(host.clock, host.log),
    outbox: host.outbox ?? noOutbox,
    // Frozen here, because passing a value between threads unfreezes it.
    env: Object.freeze(host.env ?? {}),
    get api() {
      return (api ??= createClient(call))
    },
  }
}

function handlersOf(
  entries: readonly Entry[],
  definitions: readonly Definition[],
  ofPlugins: ReadonlyMap<string, BotServices> | undefined,
): Handler[] {
  return entries.flatMap((one, i): Handler[] => {
    if (['middleware', 'state', 'resource'].includes(one.kind)) return []
    // Only the definitions of commands and events have more than their location.
    const entry = one.kind === 'command' || one.kind === 'event' ? definitions[i]! : one
    const own = entry.plugin === undefined ? undefined : ofPlugins?.get(entry.plugin)
    return own ? [{ entry, services: own }] : [{ entry }]
  })
}

/** The handling of a bot with work of its own, by the type of its deliveries. */
const withOwn = (events: Handling, own: ReadonlyMap<string, Pick<Bot, 'handle' | 'handlerOf'>>): Handling => ({
  ...events,
  handlerOf: (delivery) =>
    isOwnDelivery(delivery) ? own.get(delivery.event.type)?.handlerOf(delivery) : events.handlerOf(delivery),
  handle: (delivery) =>
    isOwnDelivery(delivery) ? own.get(delivery.event.type)?.handle(delivery) : events.handle(delivery),
  // No user waits for it.
  apologize: (delivery, why) => (isOwnDelivery(delivery) ? Promise.resolve() : events.apologize(delivery, why)),
})

/** The handling of a bot inside its layers. */
function layered(bot: Handling, { handle: wrap, within }: Layer): Handling {
  if (!wrap && !within) return bot
  const own: Handle = (delivery) => bot.handle(delivery)
  const handle = wrap?.(own, (delivery) => bot.handlerOf(delivery)) ?? own
  if (!within) return { ...bot, handle }
  return {
    ...bot,
    handle: (delivery) => within(delivery.event, () => handle(delivery)),
    // Its timer may have started in the handler of another event.
    apologize: (delivery, why) => within(delivery.event, () => bot.apologize(delivery, why)),
  }
}

const notRunning = () => Promise.reject(new Error('this bot is loaded but not running: it cannot send broadcasts'))
const noOutbox: Outbox = { broadcasts: { start: notRunning, next: notRunning, cancel: notRunning }, budget: notRunning }

/** The metadata of an entry: for a module that is not loaded now, its former metadata. */
function definitionOf(entry: Entry, defined: Defined | undefined, known: Definition | undefined): Definition {
  const guards = defined ? defined.guards?.map((guard) => guard.describe) : known?.guards
  const needs = defined ? defined.guards?.flatMap((guard) => guard.needs ?? []) : known?.needs
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
    ...(defined?.facts && { facts: defined.facts }),
    ...(state && { scope: state.scope }),
    ...(state && state.rules.version > 1 && { version: state.rules.version }),
    ...(params && { params }),
    ...(defined?.conditions && { conditions: defined.conditions.rules }),
    ...(defined?.conditions?.pattern && { match: String(defined.conditions.pattern) }),
    ...((defined ? defined.durable : known?.durable) && { durable: true as const }),
    ...(guards && guards.length > 0 && { guards }),
    ...(needs && needs.length > 0 && { needs }),
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

/** The definitions of all files. Loads those that do not wait for their first event. */
async function readDefinitions(
  { definitions, eager, manifest: { entries }, root }: BotSource,
  { load }: Pick<ReturnType<typeof createLoader>, 'load'>,
): Promise<Definition[]> {
  const known = new Map(definitions?.map((one) => [one.file, one]))
  const now = entries.filter((entry) => !known.has(entry.file) || eager?.includes(entry.file))
  const fresh = await loadAll(now, { load, root })
  return entries.map((entry) => definitionOf(entry, fresh.get(entry.file), known.get(entry.file)))
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

/** A module that throws or cannot be linked fails once for each file that imports it; in a cycle Node reports all but the first as "not in cache". */
function ownReasons(reasons: readonly unknown[]): unknown[] {
  const causes = new Set<unknown>()
  const own = reasons.filter((reason) => {
    const { cause } = reason as { cause?: unknown }
    if (!(cause instanceof Error)) return true
    const key = cause instanceof SyntaxError ? cause.message : cause
    return !cause.message.endsWith('is not in cache') && !causes.has(key) && causes.add(key)
  })
  return own.length > 0 ? own : [...reasons]
}
