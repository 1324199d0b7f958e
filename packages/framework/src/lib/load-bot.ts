import type { Command } from '@botwright/protocol'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import { createClient } from '@botwright/rest/client'
import { createDispatch } from './bot.ts'
import { createLoader, type Handler } from './handler.ts'
import { byText, firstWords } from './manifest.ts'
import type { Bot, BotHost, BotSource, Definition, Entry, Outbox } from './ports.ts'
import { buttonMaker } from './named-button.ts'
import { paramTypes } from './params/param-types.ts'
import type { Defined } from './definition.ts'
import { MemoryStore } from './state/memory-store.ts'

const HANDLER_SECONDS = 60

/**
 * Loads the modules of a bot and gives back what runs them. With `source.definitions` a module waits for its first event, unless
 * it is new or `eager`. Throws `ERR_DEFINITION` or `ERR_CUSTOM_ID`, naming every file that is wrong, the fact and the fix.
 */
export async function loadBot(source: BotSource, host: BotHost): Promise<Bot> {
  // Errors are told with the line that the author wrote.
  process.setSourceMapsEnabled(true)
  const { entries } = source.manifest
  const known = new Map(source.definitions?.map((one) => [one.file, one]))
  const loader = createLoader(source)
  const now = entries.filter((entry) => !known.has(entry.file) || source.eager?.includes(entry.file))
  const fresh = await loadAll(now, loader.load)

  const definitions = entries.map((entry): Definition => {
    const description = fresh.has(entry.file) ? fresh.get(entry.file)?.description : known.get(entry.file)?.description
    if (entry.kind === 'command') return { ...entry, description: description?.trim() || defaultDescription(entry) }
    const params = fresh.has(entry.file) ? paramTypes(fresh.get(entry.file)?.params) : known.get(entry.file)?.params
    return params ? { ...entry, params } : entry
  })

  const commands = commandsOf(definitions)
  if (commands.length > limits.commands.cautious) warnOfMany(commands.length, host)
  let api: ReturnType<typeof createClient> | undefined
  const around = {
    call: host.call,
    clock: host.clock,
    log: host.log,
    me: host.me,
    handlerSeconds: host.handlerSeconds ?? HANDLER_SECONDS,
    store: host.store ?? new MemoryStore(host.clock),
    outbox: host.outbox ?? noOutbox,
    // Frozen here, because a value that crossed threads is thawed.
    env: Object.freeze(host.env ?? {}),
    button: buttonMaker(entries, loader.definedBy),
    states: loader.states,
    get api() {
      return (api ??= createClient(host.call))
    },
  }
  // Only a bot with plugins loads what mounts them.
  const ofPlugins =
    source.manifest.plugins || host.plugins
      ? await (await import('./plugins/surroundings.ts')).pluginSurroundings(around, source, host)
      : undefined
  const handlers = entries
    .filter(({ kind }) => kind !== 'middleware' && kind !== 'state')
    .map((entry): Handler => {
      const own = entry.plugin === undefined ? undefined : ofPlugins?.get(entry.plugin)
      return own ? { entry, around: own } : { entry }
    })
  // A handler whose file is loaded is made ready at once, so that its first event is as quick as the others.
  if (!source.definitions) await Promise.all(handlers.map(loader.ready))
  return { definitions, commands, ...createDispatch(handlers, around, host, source.root, loader.ready) }
}

const notRunning = () => Promise.reject(new Error('this bot is loaded, and does not run: nothing sends its broadcasts'))
const noOutbox: Outbox = { broadcasts: { start: notRunning, next: notRunning, cancel: notRunning }, budget: notRunning }

/** Loads files side by side, and tells of all that are wrong at once. */
async function loadAll(
  entries: readonly Entry[],
  load: (entry: Entry) => Promise<Defined>,
): Promise<Map<string, Defined>> {
  const results = await Promise.allSettled(entries.map(load))
  const loaded = new Map<string, Defined>()
  const reasons: unknown[] = []
  results.forEach((result, i) => {
    const entry = entries[i]
    if (result.status === 'rejected') reasons.push(result.reason)
    else if (entry) loaded.set(entry.file, result.value)
  })
  const [first] = reasons
  if (first instanceof Error && reasons.length === 1) throw first
  if (first instanceof BotwrightError) {
    const text = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('\n')
    throw new BotwrightError(first.code, text, { cause: first })
  }
  return loaded
}

/** `role-add` becomes "Role add". */
function defaultDescription({ name }: Entry): string {
  const words = name.replace(/[ _-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Only first words are registered (§2): those of a folder tell what stands in it. */
function commandsOf(definitions: readonly Definition[]): Command[] {
  const own = new Map<string, string | undefined>()
  const below = new Map<string, string[]>()
  for (const { kind, name, description } of definitions) {
    if (kind !== 'command') continue
    const [word = '', rest] = splitWord(name)
    if (rest === undefined) own.set(word, description)
    else below.set(word, [...(below.get(word) ?? []), rest])
  }
  return firstWords(definitions).map((name) => ({
    name,
    description: own.get(name) ?? `${name}: ${(below.get(name) ?? []).sort(byText).join(', ')}`,
  }))
}

const splitWord = (name: string): [string, string?] => {
  const at = name.indexOf(' ')
  return at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)]
}

const warnOfMany = (count: number, { log }: BotHost) =>
  log.warn(
    { commands: count },
    `${count} commands: the interface names both ${limits.commands.cautious} and ${limits.commands.max} as the most; if they are refused, make folders of subcommands`,
  )
