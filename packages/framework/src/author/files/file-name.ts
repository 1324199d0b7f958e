import { commandNameRule } from '@botwright/protocol/facts'
import { didYouMean, eventNames, isWord, nearestWord } from '../did-you-mean.ts'
import type { Entry, EntryKind } from './entries.ts'

const kindOfFolder: Readonly<Record<string, EntryKind>> = {
  commands: 'command',
  buttons: 'button',
  events: 'event',
  tasks: 'task',
  routes: 'route',
  state: 'state',
  resources: 'resource',
}
/** The folders whose files are loaded by name. */
export const handlerFolders: readonly string[] = Object.keys(kindOfFolder)
export const extension = /\.(?:ts|mts|js|mjs)$/
/** Code that Node would not load as a module of a bot. */
const otherCode = /\.(?:cts|cjs|tsx|jsx)$/
const ignored = /\.(?:test|spec|test-d)\.\w+$|\.d\.m?ts$/

/** The method that the name of a route's file ends with: `routes/status.get.ts`. */
const METHOD = /\.(get|post|put|patch|delete)$/
const isParam = (part: string): boolean => /^\[[A-Za-z_]\w*\]$/.test(part)

/** A rule that a file's name breaks. */
export interface Refusal {
  fact: string
  /** The nearest path that this rule accepts. Another rule may refuse it. */
  near?: string | undefined
  /** The fix if there is no such path. */
  otherwise: string
}

/** The purpose of a file, or why it has none; undefined if it is not a handler. */
export type Reading = { entry: Entry } | { refusal: Refusal } | undefined

export const withoutSource = (file: string): string => (file.startsWith('src/') ? file.slice('src/'.length) : file)

const isGroup = (folder: string): boolean => /^\(.+\)$/.test(folder)

/** Reads the name of a file, with `/` between the folders. */
export function readName(file: string): Reading {
  if (ignored.test(file) || !(extension.test(file) || otherCode.test(file))) return undefined
  const parts = withoutSource(file).replace(extension, '').split('/')
  if (parts.some((part) => part.startsWith('_') || part.startsWith('.') || part === 'node_modules')) return undefined
  const folder = parts.length > 1 ? (parts[0] ?? '') : ''
  const kind = Object.hasOwn(kindOfFolder, folder) ? kindOfFolder[folder] : undefined
  const at = (path: readonly string[]): string =>
    file.slice(0, -withoutSource(file).length) + path.join('/') + (extension.exec(file)?.[0] ?? '')
  if (otherCode.test(file))
    return kind && { refusal: { fact: 'a handler is a .ts, .mts, .js or .mjs file', otherwise: 'rename it' } }
  if (parts.at(-1) === 'middleware' && (kind === 'route' || kind === 'resource'))
    return { refusal: { fact: `middleware does not run around ${folder}`, otherwise: `move it out of ${folder}/` } }
  if (parts.at(-1) === 'middleware' && (folder === '' || kind))
    return { entry: { kind: 'middleware', name: parts.slice(0, -1).join('/'), file } }
  if (folder === '' && /^middlewares?$/i.test(parts[0] ?? ''))
    return { refusal: { fact: 'a bot ignores this name', near: at(['middleware']), otherwise: 'rename it' } }
  if (!kind) return misnamedFolder(parts, folder, at)
  const refusal = (kind === 'event' ? eventRefusal(parts, at) : undefined) ?? wordRefusal(kind, parts, at)
  if (refusal) return { refusal }
  return { entry: { kind, name: nameOf(kind, wordsOf(parts)), file } }
}

function nameOf(kind: EntryKind, words: readonly string[]): string {
  if (kind === 'event') return words[0]!
  return kind === 'route' ? routeName(words.join('/')) : words.join(kind === 'command' ? ' ' : '/')
}

/** `[team]/deploy.put` becomes `PUT /[team]/deploy`. */
function routeName(path: string): string {
  const method = METHOD.exec(path)?.[1] ?? 'post'
  return `${method.toUpperCase()} /${path.replace(METHOD, '')}`
}

/** The name that no other file of the bot may have: for a file of `events/message/`, its path; for a route, without the names of its params. */
export function uniqueName({ kind, name, file }: Entry): string {
  if (kind === 'route') return name.replaceAll(/\[\w+\]/g, '[]')
  if (kind !== 'event') return name
  return wordsOf(withoutSource(file).replace(extension, '').split('/')).join('/')
}

/** The handler in a file; undefined if it is none, or has a wrong name. */
export function entryOf(file: string): Entry | undefined {
  const reading = readName(file)
  return reading && 'entry' in reading ? reading.entry : undefined
}

/** The parts of a handler's name: groups such as `(admin)` are not among them. */
const wordsOf = ([, ...parts]: readonly string[]): string[] =>
  parts.filter((part, i) => i === parts.length - 1 || !isGroup(part))

type PathOf = (parts: readonly string[]) => string

/** `command/` or `Commands/` instead of `commands/` would be ignored silently. */
function misnamedFolder([, ...rest]: readonly string[], folder: string, at: PathOf): Reading {
  const name = folder.toLowerCase()
  const meant = handlerFolders.find((one) => [one, `${one}s`, one.replace(/s$/, '')].includes(name))
  if (meant === undefined) return undefined
  const fact = `${folder}/ is not a folder of a bot`
  return { refusal: { fact, near: at([meant, ...rest]), otherwise: `move it to ${meant}/ under another name` } }
}

function eventRefusal(parts: readonly string[], at: PathOf): Refusal | undefined {
  const words = wordsOf(parts)
  const [name = '', ...rest] = words
  if (eventNames.includes(name)) return undefined
  const otherwise = `name it after one of ${eventNames.join(', ')}`
  const fact = `there is no event "${name}"`
  if (rest.length === 0) {
    const event = didYouMean(name, eventNames)
    return { fact, near: event && at(parts.with(-1, event)), otherwise }
  }
  // The last folder may have the name of the event: `events/mod/message/links.ts`.
  const place = words.findLastIndex((word) => eventNames.includes(word))
  if (place !== -1) return { fact, near: at(['events', ...words.slice(place)]), otherwise }
  const event = didYouMean(name, eventNames)
  const last = didYouMean(words.at(-1) ?? '', eventNames)
  const near = event ? ['events', event, ...rest] : last && ['events', last]
  return { fact, near: near && at(near), otherwise }
}

function wordRefusal(kind: EntryKind, parts: readonly string[], at: PathOf): Refusal | undefined {
  if (parts.at(-1) === 'index') {
    const folders = parts.slice(0, parts.findLastIndex((part, i) => i < parts.length - 1 && !isGroup(part)) + 1)
    return {
      fact: `${kind === 'event' ? 'an' : 'a'} ${kind} has the name of its file`,
      near: folders.length > 1 ? at(folders) : undefined,
      otherwise: `rename it to the name of the ${kind}`,
    }
  }
  for (const [i, whole] of parts.entries()) {
    const part = kind === 'route' ? whole.replace(METHOD, '') : whole
    if (i === 0 || isWord(part) || (kind === 'route' && isParam(part)) || (i < parts.length - 1 && isGroup(part)))
      continue
    const near = nearestWord(part)
    return {
      fact:
        kind === 'event' ? `the name of such a file is ${commandNameRule}` : `a ${kind}'s name is ${commandNameRule}`,
      near: near === undefined ? undefined : at(parts.with(i, near + whole.slice(part.length))),
      otherwise: 'rename it',
    }
  }
  return undefined
}

/** A file with the nearest name that all rules accept; undefined if there is none. */
export function nearestEntry(refusal: Refusal): Entry | undefined {
  // Each step fixes a part of the path.
  for (let { near } = refusal, steps = 0; near !== undefined && steps < 20; steps++) {
    const reading = readName(near)
    if (!reading) return undefined
    if ('entry' in reading) return reading.entry
    near = reading.refusal.near
  }
  return undefined
}
