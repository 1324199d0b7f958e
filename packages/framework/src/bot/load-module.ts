import { inspect } from 'node:util'
import { pathToFileURL } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'
import { commandProblem } from './commands/check-command.ts'
import { buttonProblem } from './buttons/read-click.ts'
import { loadReason } from './load-reason.ts'
import { guardsProblem } from '../author/guards/guard.ts'
import { durationMs } from '../author/time/duration.ts'
import { onUpgrades } from '../author/durable.ts'
import { type Defined, definedAs, isDefined, place } from '../author/definition.ts'
import { eventNames, isOwnEvent } from '../author/did-you-mean.ts'
import type { BotSource } from '../link/ports.ts'
import type { Entry } from '../author/files/entries.ts'

/** Loads the module of an entry and checks that its definition fits its folder. Throws `ERR_DEFINITION` or `ERR_CUSTOM_ID`. */
export async function loadModule(entry: Entry, source: BotSource): Promise<Defined> {
  const defined = readModule(entry, await importModule(entry.file, source))
  const timesProblem = await defined.checkTimes?.()
  if (timesProblem !== undefined) throw wrong(`${entry.file}: ${timesProblem}`)
  if (entry.kind === 'middleware') {
    const problem = taskMiddlewareProblem(entry.name, defined)
    if (problem !== undefined) throw wrong(`${entry.file}: ${problem}`)
  }
  return defined
}

/** Imports the module of any file of a bot. Throws `ERR_DEFINITION`. */
export async function importModule(
  file: string,
  { bundled, modules, provide }: Pick<BotSource, 'bundled' | 'modules' | 'provide'>,
): Promise<Record<string, unknown>> {
  const [part, path] = [bundled?.[file], modules[file]]
  if (!part && path === undefined) throw wrong(`${file} was not built: build the bot again`)
  provide?.(file)
  try {
    const module = part ? part() : import(/* @vite-ignore */ pathToFileURL(path!).href)
    return (await module) as Record<string, unknown>
  } catch (error) {
    const reason = withoutVersions(loadReason(error))
    throw wrong(`${file} cannot be loaded: ${reason}`, { cause: error })
  }
}

/** Authors know `./b.ts`, not the `./b.ts.0000a1.mjs` that `framework dev` compiles it to. */
const withoutVersions = (message: string): string => message.replaceAll(/(\.[cm]?[jt]sx?)\.[0-9a-z]{6}\.mjs\b/g, '$1')

const samples = {
  command: 'command({ … })',
  button: 'button({ … })',
  event: 'event(…)',
  task: "task({ every: '10m', run: (ctx) => … })",
  route: 'route({ verify: …, run: (ctx) => … })',
  state: "state({ scope: 'user', … })",
  resource: 'resource({ open: (ctx) => …, close: (value) => … })',
  middleware: 'middleware(…)',
}

const kindOf = ({ kind, name }: Entry): string => (kind === 'event' ? `event('${name}', (ctx) => …)` : samples[kind])

/** Validates the definition of a loaded module. Pure: the import is the only side effect. */
function readModule(entry: Entry, module: Record<string, unknown>): Defined {
  const { file, kind } = entry
  const value = module['default']
  const fix = `export default ${kindOf(entry)}`
  if (value === undefined) throw wrong(`${file} has no default export: ${fix}`)
  if (typeof value === 'function' && !['state', 'route', 'resource'].includes(kind))
    return plainFunction(entry, value as NonNullable<Defined['run']>, module)
  if (!isDefined(value)) throw wrong(`${file} has a default export of another kind: ${fix}`)
  if (value[definedAs] !== kind)
    throw wrong(`${file} exports a ${value[definedAs]}, but its folder requires a ${kind}: ${fix}`)
  if (kind !== 'state' && typeof value.run !== 'function')
    throw wrong(`${file} has no run: give it the function to run`)
  if (value.type !== undefined && value.type !== entry.name) {
    throw wrong(
      `${file} defines event('${value.type}', …): ${eventNames.includes(value.type) ? `rename it to ${value.type}, or ` : ''}write event('${entry.name}', …)`,
    )
  }
  const problem = typeof value.problem === 'function' ? value.problem(entry) : value.problem
  if (problem !== undefined) throw wrong(`${file}: ${problem}`)
  const guarded = guardsProblem(value.guards)
  if (guarded !== undefined) throw wrong(`${file}: ${guarded}`)
  if (value.guards && isOwnEvent(entry.name) && kind === 'event')
    throw wrong(`${file}: guards have no effect here, because no user triggers "${entry.name}"; remove them`)
  if (value.durable && isOwnEvent(entry.name) && kind === 'event')
    throw wrong(`${file}: durable has no effect on "${entry.name}"; remove it`)
  checkConditions(entry, value)
  checkDurable(entry, value)
  checkCommand(entry, value)
  if (kind === 'button') checkButton(entry, value)
  if (kind === 'button' || kind === 'state' || kind === 'task') nameAfterFile(entry, value)
  return value
}

/** Exports that work only inside `command({ … })` and the like. Ignoring an exported `guards` would let every user through. */
const objectOnlyFields = [
  'args',
  'guards',
  'params',
  'spill',
  'outdated',
  'match',
  'when',
  'otherwise',
  'gather',
  'bots',
  'durable',
  'timeout',
  'version',
  'onUpgrade',
]

function plainFunction(entry: Entry, run: NonNullable<Defined['run']>, module: Record<string, unknown>): Defined {
  const { description, aliases, hidden, examples } = module
  const misplaced = objectOnlyFields.find((name) => module[name] !== undefined)
  if (misplaced !== undefined)
    throw wrong(
      `${entry.file}: the export "${misplaced}" has no effect next to a plain function; write export default ${kindOf(entry)} with ${misplaced} and run in it`,
    )
  if (entry.kind === 'button') checkButton(entry, {})
  const defined = { [definedAs]: entry.kind, run, description } as Defined
  return entry.kind === 'command' ? checkCommand(entry, { ...defined, aliases, hidden, examples } as Defined) : defined
}

function checkCommand(entry: Entry, defined: Defined): Defined {
  const problem = entry.kind === 'command' ? commandProblem(entry, defined) : undefined
  if (problem !== undefined) throw wrong(`${entry.file}: ${problem}`)
  return defined
}

function checkConditions({ file, kind, name }: Entry, { conditions }: Defined): void {
  if (!conditions || kind !== 'event') return
  if (isOwnEvent(name)) throw wrong(`${file}: match, when and otherwise have no effect on "${name}"; remove them`)
  if (conditions.pattern && name !== 'message') throw wrong(`${file}: match has an effect only on "message"; use when`)
}

function checkDurable({ file, kind }: Entry, { durable, ...options }: Defined): void {
  // A state has a version of another kind.
  if (kind === 'state') return
  const { timeout, version = 1, onUpgrade = 'cancel' } = options
  const useless = (['timeout', 'version', 'onUpgrade'] as const).find((name) => !durable && options[name] !== undefined)
  if (useless !== undefined)
    throw wrong(`${file}: ${useless} has an effect only on durable handlers; add durable: true, or remove it`)
  if (timeout !== undefined) durationMs(timeout, `${file}: timeout`)
  if (!Number.isSafeInteger(version) || version < 1)
    throw wrong(`${file}: version must be a whole number from 1, but is ${inspect(version)}`)
  if (!onUpgrades.includes(onUpgrade))
    throw wrong(
      `${file}: onUpgrade must be ${onUpgrades.map((one) => `'${one}'`).join(' or ')}, but is ${inspect(onUpgrade)}`,
    )
}

/** Stores the name of a definition in it, because only its file path contains the name and other files import it. */
function nameAfterFile(entry: Entry, value: Defined): void {
  const other = value[place]
  if (other && other.file !== entry.file)
    throw wrong(`${entry.file} exports the ${entry.kind} of ${other.file}: define its own`)
  value[place] = { name: entry.name, file: entry.file }
}

function checkButton(entry: Entry, button: Pick<Defined, 'params' | 'versions' | 'spillMs'>): void {
  const problem = buttonProblem(entry.name, button)
  if (problem !== undefined) throw new BotwrightError('ERR_CUSTOM_ID', `${entry.file}: ${problem}`)
}

const wrong = (message: string, options?: ErrorOptions) => new BotwrightError('ERR_DEFINITION', message, options)

/** Why a middleware cannot be in the folder `tasks/`; undefined if it can. */
function taskMiddlewareProblem(folder: string, { task }: Defined): string | undefined {
  if (folder !== 'tasks' && !folder.startsWith('tasks/')) return undefined
  return task
    ? undefined
    : 'guards and run do not apply to tasks, because no user triggers them: write middleware({ task: async (ctx, next) => … })'
}
