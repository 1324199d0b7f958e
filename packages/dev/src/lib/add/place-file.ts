import { discover, type EntryKind } from '@botwright/framework'
import { didYouMean, entryOf, eventNames, nearestWord } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { windowsProblem } from '@botwright/protocol/portable-names'
import type { AddKind } from './templates.ts'

const folderOf: Readonly<Record<Exclude<AddKind, 'middleware'>, string>> = {
  command: 'commands',
  button: 'buttons',
  pages: 'buttons',
  event: 'events',
  task: 'tasks',
  route: 'routes',
  state: 'state',
  resource: 'resources',
}

/** Pages are a button. */
const entryKindOf = (kind: AddKind): EntryKind => (kind === 'pages' ? 'button' : kind)

/** The file of a new handler, relative to the bot's folder, and its name in the bot. */
export interface Place {
  file: string
  name: string
}

/**
 * Finds the location of a new handler among the existing files. `typed` is the author's input: `role/add`, `role add`,
 * `/ping`, or the file itself. Throws `ERR_DEFINITION` for an invalid name, with the nearest valid one, and `ERR_CONFLICT`
 * for a name that is in use.
 */
export function placeFile(kind: AddKind, typed: string, files: ReadonlySet<string>): Place {
  if (kind !== 'command' && kind !== 'middleware' && /\S\s+\S/.test(typed)) {
    const words = typed
      .trim()
      .toLowerCase()
      .replaceAll(/\s+/g, kind === 'event' ? '_' : '-')
    const known = kind !== 'event' || eventNames.includes(words)
    const name = known ? nearestWord(words) : (didYouMean(words, eventNames) ?? eventNames[0])
    const isAccepted = name !== undefined && entryOf(`${folderOf[kind]}/${name}.ts`)?.kind === entryKindOf(kind)
    throw new BotwrightError(
      'ERR_DEFINITION',
      `"${typed}": a name cannot contain spaces${isAccepted ? `: framework add ${kind} ${name}` : ''}`,
    )
  }
  const words = wordsOf(kind, typed)
  const parts = kind === 'middleware' ? [...words, 'middleware'] : [folderOf[kind], ...words]
  const file = `${sourceFolder(files)}${parts.join('/')}.${isJavaScript(files) ? 'js' : 'ts'}`
  if (files.has(file)) throw new BotwrightError('ERR_CONFLICT', `${file} already exists: nothing was written`)
  // The rules for names are those of discovery: a file that discovery rejects would never run.
  const [entry] = discover([file]).entries
  if (!entry || entry.kind !== entryKindOf(kind))
    throw new BotwrightError(
      'ERR_DEFINITION',
      kind === 'middleware'
        ? `${file}: a middleware belongs in the bot's folder or below commands/, buttons/, events/ or tasks/: framework add middleware commands/admin`
        : `${file}: files whose name begins with "_" or "." are ignored; choose another name`,
    )
  const problem = windowsProblem(file)
  if (problem !== undefined) throw new BotwrightError('ERR_DEFINITION', `${file}: ${problem}`)
  refuseTwin(file, files)
  return { file, name: entry.name }
}

function wordsOf(kind: AddKind, typed: string): string[] {
  const words = typed
    .replaceAll('\\', '/')
    .replace(/^[/!\s]+/, '')
    .replace(/\.[cm]?[jt]s$/, '')
    .split(/[/\s]+/)
    .filter((word) => word !== '')
  if (words[0] === 'src') words.shift()
  if (kind === 'middleware') return words.at(-1) === 'middleware' ? words.slice(0, -1) : words
  return words[0] === folderOf[kind] ? words.slice(1) : words
}

/** A bot whose handlers are under `src/` gets the new one there too. */
const sourceFolder = (files: ReadonlySet<string>): string =>
  [...files].some((file) => /^src\/(?:commands|buttons|events|tasks|routes|state)\//.test(file)) ? 'src/' : ''

/** A bot in JavaScript gets a JavaScript file: the templates need no types. */
export function isJavaScript(files: ReadonlySet<string>): boolean {
  if (files.has('tsconfig.json')) return false
  const handlers = [...files].filter((file) => /^(?:src\/)?(?:commands|buttons|events|tasks|routes|state)\//.test(file))
  return files.has('jsconfig.json') || (handlers.length > 0 && handlers.every((file) => /\.m?js$/.test(file)))
}

/** Another file may define the same name: in a group, or with another extension. Other problems of the bot are not reported here. */
function refuseTwin(file: string, files: ReadonlySet<string>): void {
  try {
    discover([...files, file])
  } catch (error) {
    const { code, message } = error as BotwrightError
    const conflict = message.split('\n').find((line) => line.includes(file))
    if (code === 'ERR_CONFLICT' && conflict !== undefined)
      throw new BotwrightError('ERR_CONFLICT', `${conflict}: nothing was written`)
  }
}
