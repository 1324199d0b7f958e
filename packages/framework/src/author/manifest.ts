import type { ErrorCode } from '@botwright/protocol/shapes'
import { BotwrightError, commandNameRule, limits } from '@botwright/protocol/facts'
import { didYouMean, eventNames, isWord, nearestWord } from './did-you-mean.ts'
import type { Entry, EntryKind, Manifest } from './entries.ts'

const kindOfFolder: Readonly<Record<string, EntryKind>> = {
  commands: 'command',
  buttons: 'button',
  events: 'event',
  tasks: 'task',
  state: 'state',
}
/** The folders whose files are loaded by name. */
export const handlerFolders: readonly string[] = Object.keys(kindOfFolder)
const extension = /\.(?:ts|mts|js|mjs)$/
/** Code that Node would not load as a module of a bot. */
const otherCode = /\.(?:cts|cjs|tsx|jsx)$/
const ignored = /\.(?:test|spec|test-d)\.\w+$|\.d\.m?ts$/

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
  const entries: Entry[] = []
  const owners = new Map<string, Entry>()
  for (const file of [...files].sort(byText)) {
    const entry = readEntry(file, files, problems)
    if (!entry) continue
    const key = `${entry.kind}:${entry.name}`
    const other = owners.get(key)
    if (other) problems.push(conflict(other, entry))
    else {
      owners.set(key, entry)
      entries.push(entry)
    }
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

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const withoutSource = (file: string): string => (file.startsWith('src/') ? file.slice('src/'.length) : file)

const isGroup = (folder: string): boolean => /^\(.+\)$/.test(folder)

function readEntry(file: string, files: readonly string[], problems: Problem[]): Entry | undefined {
  if (ignored.test(file) || !(extension.test(file) || otherCode.test(file))) return undefined
  const parts = withoutSource(file).replace(extension, '').split('/')
  if (parts.some((part) => part.startsWith('_') || part.startsWith('.') || part === 'node_modules')) return undefined
  const folder = parts.length > 1 ? (parts[0] ?? '') : ''
  const kind = Object.hasOwn(kindOfFolder, folder) ? kindOfFolder[folder] : undefined
  if (otherCode.test(file))
    return kind && refused(file, 'a handler is a .ts, .mts, .js or .mjs file; rename it', problems)
  if (parts.at(-1) === 'middleware' && (folder === '' || kind)) {
    return { kind: 'middleware', name: parts.slice(0, -1).join('/'), file }
  }
  if (folder === '' && /^middlewares?$/i.test(parts[0] ?? ''))
    return refused(file, `a bot ignores this name; rename it to middleware${endingOf(file)}`, problems)
  if (!kind) return misnamedFolder(file, folder, problems)
  const words = parts.slice(1).filter((part, i, all) => i === all.length - 1 || !isGroup(part))
  const problem = kind === 'event' ? eventProblem(file, words) : wordProblem(file, kind, words, files)
  if (problem === undefined) return { kind, name: words.join(kind === 'command' ? ' ' : '/'), file }
  return refused(file, problem, problems)
}

/** `command/` or `Commands/` instead of `commands/` would be ignored silently. */
function misnamedFolder(file: string, folder: string, problems: Problem[]): undefined {
  const name = folder.toLowerCase()
  const meant = handlerFolders.find((one) => [one, `${one}s`, one.replace(/s$/, '')].includes(name))
  if (meant !== undefined) refused(file, `${folder}/ is not a folder of a bot; rename it to ${meant}/`, problems)
}

function refused(file: string, fact: string, problems: Problem[]): undefined {
  problems.push({ code: 'ERR_DEFINITION', message: `${file}: ${fact}` })
}

function eventProblem(file: string, words: readonly string[]): string | undefined {
  const name = words.at(-1) ?? ''
  if (words.length > 1) return `events/ has no subfolders; move it to events/${name}${endingOf(file)}`
  if (eventNames.includes(name)) return undefined
  const near = didYouMean(name, eventNames)
  const fix = near ? `did you mean ${near}${endingOf(file)}?` : `name the file after one of ${eventNames.join(', ')}`
  return `there is no event "${name}"; ${fix}`
}

function wordProblem(
  file: string,
  kind: EntryKind,
  words: readonly string[],
  files: readonly string[],
): string | undefined {
  const last = words.at(-1) ?? ''
  if (last === 'index') {
    const folder = file.replace(/\/[^/]*$/, '')
    const other = files.find((one) => one.replace(extension, '') === folder)
    if (other !== undefined) return `a ${kind} has the name of its file, and ${other} exists; remove one of the two`
    return `a ${kind} has the name of its file; rename it to ${folder.endsWith('s') && words.length === 1 ? `the name of the ${kind}` : folder + endingOf(file)}`
  }
  for (const word of words) {
    if (isWord(word)) continue
    const near = nearestWord(word)
    const ending = word === last ? endingOf(file) : '/'
    return `a ${kind}'s name is ${commandNameRule}; rename it${near ? ` to ${near}${ending}` : ''}`
  }
  return undefined
}

const endingOf = (file: string): string => extension.exec(file)?.[0] ?? ''

function conflict(one: Entry, two: Entry): Problem {
  const twins = one.file.replace(extension, '') === two.file.replace(extension, '')
  const fix = twins || two.kind === 'middleware' ? 'remove one' : two.kind === 'event' ? 'join them' : 'rename one'
  return { code: 'ERR_CONFLICT', message: bothDefine(one, two, fix) }
}

/** The conflict of two files, and the fix. */
export function bothDefine(one: Entry, two: Entry, fix: string): string {
  const what = {
    command: `/${two.name}`,
    button: `the button "${two.name}"`,
    event: `the event "${two.name}"`,
    task: `the task "${two.name}"`,
    state: `the state "${two.name}"`,
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
