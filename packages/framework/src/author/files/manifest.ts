import type { ErrorCode } from '@botwright/protocol/shapes'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import type { Entry, Manifest } from './entries.ts'
import { extension, nearestEntry, readName, type Refusal, uniqueName, withoutSource } from './file-name.ts'

interface Problem {
  code: ErrorCode
  message: string
}

/**
 * Determines the kind of each file of a bot by its name alone: nothing is loaded.
 * `files` are paths relative to the bot's folder, with `/`; other files are ignored.
 * Throws `ERR_DEFINITION` (an invalid name) or `ERR_CONFLICT` (two files for one name), listing every such file.
 */
export function discover(files: readonly string[]): Manifest {
  const problems: Problem[] = []
  const readings = [...files].sort(byName).map((file) => ({ file, reading: readName(file) }))
  const owners = new Map<string, Entry>()
  for (const { reading } of readings)
    if (reading && 'entry' in reading && !owners.has(keyOf(reading.entry)))
      owners.set(keyOf(reading.entry), reading.entry)
  const entries = [...owners.values()]
  const recommended = new Set<string>()
  for (const { file, reading } of readings) {
    if (!reading) continue
    if ('refusal' in reading) {
      const message = `${file}: ${reading.refusal.fact}; ${adviceFor(reading.refusal, { file, owners, recommended })}`
      problems.push({ code: 'ERR_DEFINITION', message })
      continue
    }
    const { entry } = reading
    const other = owners.get(keyOf(entry))!
    if (other !== entry) problems.push(conflict(other, entry))
  }
  const tooMany = commandCountProblem(entries)
  if (tooMany !== undefined) problems.push({ code: 'ERR_DEFINITION', message: tooMany })
  const [first] = problems
  if (first) throw new BotwrightError(first.code, problems.map((problem) => problem.message).join('\n'))
  return { entries }
}

/** The command words that `PUT /commands` registers: each first word once, sorted. */
function firstWords(entries: readonly Entry[]): string[] {
  const words = new Set<string>()
  for (const entry of entries) if (entry.kind === 'command') words.add(entry.name.split(' ', 1)[0] ?? '')
  return [...words].sort(byText)
}

/** The folders around a file, outermost first; `''` is the bot's own folder. */
function foldersAround(file: string): string[] {
  const folders = withoutSource(file).split('/').slice(0, -1)
  return ['', ...folders.map((_, i) => folders.slice(0, i + 1).join('/'))]
}

/** The scope of a middleware: its folder, of the bot or of a plugin. */
export const layerOf = ({ plugin = '', name }: Pick<Entry, 'plugin' | 'name'>): string => `${plugin}:${name}`

/** The layers whose middleware runs around a file, outermost first: of the bot's own folders, or of its root and then of the plugin's. */
export function layersAround({ plugin, file }: Pick<Entry, 'plugin' | 'file'>): string[] {
  if (plugin === undefined) return foldersAround(file).map((name) => layerOf({ name }))
  // Paths of a plugin begin with the name of its package.
  const inside = foldersAround(file.replace(/^(?:@[^/]+\/)?[^/]+\//, ''))
  return [layerOf({ name: '' }), ...inside.map((name) => layerOf({ plugin, name }))]
}

/** In the order of their names, without their extensions. */
const byName = (a: string, b: string): number =>
  byText(a.replace(extension, ''), b.replace(extension, '')) || byText(a, b)

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const keyOf = (entry: Entry): string => `${entry.kind}:${uniqueName(entry)}`

interface Names {
  file: string
  owners: ReadonlyMap<string, Entry>
  /** The names that the advice for other files has. */
  recommended: Set<string>
}

/** The fix for a refused file. The name in it passes all rules, and no other file has it. */
function adviceFor(refusal: Refusal, { file, owners, recommended }: Names): string {
  const nearest = nearestEntry(refusal)
  if (!nearest) return refusal.otherwise
  const owner = owners.get(keyOf(nearest))
  if (owner?.kind === 'event' || owner?.kind === 'middleware') return `join it with ${owner.file}`
  if (owner)
    return `rename it, but not to ${owner.file === nearest.file ? `${owner.file}, which` : `${nearest.file}: ${owner.file}`} exists`
  if (recommended.has(keyOf(nearest))) return 'rename it'
  recommended.add(keyOf(nearest))
  return nameIn(nearest.file, file)
}

/** How a file gets its new path: by a new name, by a new name of one of its folders, or elsewhere. */
function nameIn(path: string, file: string): string {
  const parts = path.split('/')
  const before = file.split('/')
  const changed = parts.flatMap((part, i) => (part === before[i] ? [] : [i]))
  const [i = 0] = changed
  if (parts.length !== before.length || changed.length !== 1) return `move it to ${path}`
  return `rename it to ${parts[i]}${i === parts.length - 1 ? '' : '/'}`
}

function conflict(one: Entry, two: Entry): Problem {
  const twins = one.file.replace(extension, '') === two.file.replace(extension, '')
  const isOnly = two.kind === 'event' && uniqueName(two) === two.name
  const fix = twins || two.kind === 'middleware' ? 'remove one' : isOnly ? 'join them' : 'rename one'
  return { code: 'ERR_CONFLICT', message: bothDefine(one, two, fix) }
}

/** The conflict of two files, and the fix. */
export function bothDefine(one: Entry, two: Entry, fix: string): string {
  const what = {
    command: `/${two.name}`,
    button: `the button "${two.name}"`,
    event: `the event "${two.name}"`,
    task: `the task "${two.name}"`,
    route: two.name,
    state: `the state "${two.name}"`,
    resource: `the resource "${two.name}"`,
    middleware: `the middleware of ${two.name === '' ? "the bot's folder" : two.name}`,
  }[two.kind]
  return `${one.file} and ${two.file} both define ${what}; ${fix}`
}

/** The problem with the number of commands, if any (§8). */
export function commandCountProblem(entries: readonly Entry[]): string | undefined {
  const count = firstWords(entries).length
  if (count <= limits.commands.max) return undefined
  return (
    `commands/: ${count} commands, but a bot can register at most ${limits.commands.max} (interface §8); ` +
    'group related commands in a folder of subcommands, which counts as one'
  )
}
