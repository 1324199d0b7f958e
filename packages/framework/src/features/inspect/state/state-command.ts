import { resolve } from 'node:path'
import { BotwrightError, lowerId, printableBlock, printableLine } from '@botwright/protocol/facts'
import { didYouMean } from '../../../author/did-you-mean.ts'
import type { Definition } from '../../../author/files/entries.ts'
import { type AnyScope, idsOf, type Owner } from '../../../author/state/scope.ts'
import { MAX_VALUE_CHARACTERS } from '../../../author/state/store-text.ts'
import { isClustered } from '../../stored-state/reach-cluster.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import type { RecordedBy } from '../../history/choose-history.ts'
import { botsIn, type KnownBot } from '../../history/known-bots.ts'
import { readStates, type StoredState, writeState } from '../../state/stored-states.ts'
import type { BotFiles } from '../build-files.ts'
import { createTerminal, cutToWidth, table } from '../terminal.ts'

export interface StateOptions {
  /** Its folder is that of the bot. */
  io: ProgramIo
  /** The folder of its state. */
  state: string
  /** Which bot's state: that of the bot that this program has run. */
  from?: RecordedBy
  /** The id of the bot, instead of `from`. */
  bot?: string
  plugin?: string
  owner: Owner
  json: boolean
}

const PIPE_WIDTH = 100

/** `framework state list`: stored values and their versions. Returns the exit code. */
export async function listStates(options: StateOptions & { name?: string; limit: number }): Promise<number> {
  const { json, name, plugin, limit } = options
  const { colors, print } = createTerminal(options.io)
  const all = readStates(stateFolder(options), await botOf(options), {
    ...(name !== undefined && { name }),
    ...(plugin !== undefined && { plugin }),
  }).filter((one) => plugin === undefined || one.plugin === plugin)
  const shown = all.slice(0, limit)
  if (json) print(JSON.stringify({ values: shown, more: all.length - shown.length }))
  else {
    const width = options.io.stdout.columns ?? PIPE_WIDTH
    const rows = shown.map((one) => [
      colors.bold(printableLine(labelOf(one))),
      printableLine(ownerText(one.owner)),
      `version ${one.version}`,
      printableLine(JSON.stringify(one.value)),
    ])
    for (const line of table(rows)) print(cutToWidth(line, width))
    if (all.length === 0) print('no value is stored')
    if (all.length > shown.length) print(colors.dim(`${all.length - shown.length} more: pass --limit ${all.length}`))
  }
  return 0
}

/** `framework state get`: prints one stored value. Resolves with the exit code: 1 if there is none. */
export async function getState(name: string, options: StateOptions): Promise<number> {
  const { json, owner, plugin } = options
  const { colors, print } = createTerminal(options.io)
  const all = readStates(stateFolder(options), await botOf(options), { name, ...(plugin !== undefined && { plugin }) })
  const found = all.find((one) => isSame(one.owner, owner))
  if (!found) {
    const scope = all[0]?.scope
    if (scope !== undefined) checkOwner(name, scope, owner)
    options.io.stderr.write(
      `no value of the state "${printableLine(name)}" is stored for ${printableLine(ownerText(owner))}\n`,
    )
    return 1
  }
  if (json) print(JSON.stringify(found))
  else {
    print(printableBlock(JSON.stringify(found.value, undefined, 2)))
    const expiry = found.expires_at === undefined ? '' : `, expires ${found.expires_at}`
    print(colors.dim(`version ${found.version}${expiry}`))
  }
  return 0
}

/** `framework state set`: stores a value as a version of the state would have. `read` reads the files of the bot. Resolves with the exit code. */
export async function setState(
  name: string,
  text: string,
  options: StateOptions,
  { version, read }: { version: number | undefined; read: () => Promise<BotFiles | undefined> },
): Promise<number> {
  const { json, owner, plugin } = options
  const { colors, print } = createTerminal(options.io)
  const value = parseValue(text === '-' ? await textOf(options.io.stdin) : text)
  const loaded = await read()
  if (!loaded) return 1
  if (loaded.config.store)
    throw refused(
      'bot.config.ts sets a store, so the bot does not read state.db: write the value where that store keeps it',
    )
  const { scope, version: current = 1 } = declared(loaded.definitions, name, plugin)
  checkOwner(name, scope, owner)
  if (version !== undefined && version > current)
    throw refused(
      `the files declare version ${current} of the state "${name}": the bot rejects values of version ${version}`,
    )
  const stored: StoredState = {
    ...(plugin !== undefined && { plugin }),
    name,
    scope,
    owner,
    version: version ?? current,
    value,
  }
  await writeState(stateFolder(options), await botOf(options), stored)
  if (json) print(JSON.stringify(stored))
  else
    print(
      `${colors.green('✓')} ${printableLine(labelOf(stored))} of ${printableLine(ownerText(owner))}: version ${stored.version} stored`,
    )
  return 0
}

const stateFolder = ({ io, state }: Pick<StateOptions, 'io' | 'state'>): string => resolve(io.cwd, state)

/** The id of the bot whose stored values a command reads. */
export async function botOf(options: Pick<StateOptions, 'io' | 'state' | 'from' | 'bot'>): Promise<string> {
  const { from } = options
  const bot = options.bot === undefined ? undefined : lowerId(options.bot)
  const folder = stateFolder(options)
  const { dev, start } = botsIn(folder)
  if (bot !== undefined && bot !== dev?.botId && from === undefined && start.every((one) => one.botId !== bot))
    return bot
  const isOfStart = (one: KnownBot) => one !== dev
  const candidates = [...(from !== 'start' && dev ? [dev] : []), ...(from === 'dev' ? [] : start)]
  const [one, another] = bot === undefined ? candidates : candidates.filter(({ botId }) => botId === bot)
  if ((one === undefined || isOfStart(one)) && from !== 'dev' && (await isClustered(options.io.cwd, options.io.env)))
    throw refused(
      'this bot runs as a cluster: its state is in Redis, which this command does not read. --from dev selects the state of framework dev',
    )
  if (one === undefined)
    throw refused(
      `${folder}: no bot of ${from === undefined ? 'framework dev or framework start' : `framework ${from}`} has run with this folder: run it once, or pass the id of the bot with --bot`,
    )
  if (another !== undefined) {
    const known = candidates.map((each) => `${each.botId} (${each === dev ? 'dev' : 'start'}, ${each.baseUrl})`)
    throw refused(
      `${folder} holds the state of ${candidates.length} bots: pass --from dev, --from start or --bot: ${known.join(', ')}`,
    )
  }
  return one.botId
}

function declared(
  definitions: readonly Definition[],
  name: string,
  plugin: string | undefined,
): Definition & { scope: AnyScope } {
  const states = definitions.filter((one) => one.kind === 'state' && one.plugin === plugin)
  const found = states.find((one) => one.name === name)
  if (found?.scope !== undefined) return { ...found, scope: found.scope }
  const names = states.map((one) => one.name)
  const of = plugin === undefined ? 'the bot' : `the plugin "${plugin}"`
  const hint = didYouMean(name, names)
  throw refused(
    `${of} has no state "${name}"${hint === undefined ? '' : ` (did you mean "${hint}"?)`}; available: ${names.join(', ') || 'none'}`,
  )
}

const options: Readonly<Record<keyof Owner, string>> = {
  user_id: '--user',
  channel_id: '--channel',
  server_id: '--server',
  key: '--key',
}

/** Throws `ERR_CONFIG` unless exactly the ids of the scope are given. */
function checkOwner(name: string, scope: AnyScope, owner: Owner): void {
  const ids = idsOf[scope]
  const given = Object.keys(owner) as (keyof Owner)[]
  if (ids.length === given.length && ids.every((id) => owner[id])) return
  const wanted = ids.map((id) => `${options[id]} <${id === 'key' ? id : 'id'}>`).join(' and ') || 'no owner'
  throw refused(`the state "${name}" is stored per ${scope}: pass ${wanted}`)
}

function parseValue(text: string): unknown {
  if (text.length > MAX_VALUE_CHARACTERS)
    throw refused(
      `the value has more than ${MAX_VALUE_CHARACTERS} characters of JSON, which is the limit: split it into several states`,
    )
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new BotwrightError(
      'ERR_CONFIG',
      `the value is not JSON (${printableLine((cause as Error).message)}); quote a string for JSON and for the shell: '"mint"'`,
      { cause },
    )
  }
}

async function textOf(input: NodeJS.ReadableStream): Promise<string> {
  input.setEncoding('utf8')
  let text = ''
  for await (const part of input) {
    text += part as string
    // Reads no more than needed to see that the input is too long.
    if (text.length > MAX_VALUE_CHARACTERS) break
  }
  return text
}

const labelOf = ({ plugin, name }: Pick<StoredState, 'plugin' | 'name'>): string =>
  plugin === undefined ? name : `${plugin}/${name}`

const ownerText = (owner: Owner): string =>
  Object.entries(owner)
    .map(([id, value]) => `${id.replace('_id', '')} ${String(value)}`)
    .join(', ') || 'the bot'

const isSame = (one: Owner, other: Owner): boolean =>
  one.key === other.key &&
  (['user_id', 'channel_id', 'server_id'] as const).every((id) => lowerId(one[id] ?? '') === lowerId(other[id] ?? ''))

const refused = (fact: string) => new BotwrightError('ERR_CONFIG', fact)
