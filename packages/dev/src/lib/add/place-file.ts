import { discover } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import type { AddKind } from './templates.ts'

const folderOf: Readonly<Record<Exclude<AddKind, 'middleware'>, string>> = {
  command: 'commands',
  button: 'buttons',
  event: 'events',
  task: 'tasks',
  state: 'state',
}

/** The file that a new handler becomes, relative to the bot's folder, and its name as the bot knows it. */
export interface Place {
  file: string
  name: string
}

/**
 * Finds the place of a new handler among the files that there are. `typed` is what its author would say: `role/add`, `role add`,
 * `/ping`, or the file itself. Throws `ERR_DEFINITION` for a name that cannot be, with the nearest one that can, and `ERR_CONFLICT`
 * for one that is taken.
 */
export function placeFile(kind: AddKind, typed: string, files: ReadonlySet<string>): Place {
  if (kind !== 'command' && kind !== 'middleware' && /\S\s+\S/.test(typed)) {
    const name = typed
      .trim()
      .toLowerCase()
      .replaceAll(/\s+/g, kind === 'event' ? '_' : '-')
    throw new BotwrightError(
      'ERR_DEFINITION',
      `"${typed}": a name cannot contain spaces: framework add ${kind} ${name}`,
    )
  }
  const words = wordsOf(kind, typed)
  const parts = kind === 'middleware' ? [...words, 'middleware'] : [folderOf[kind], ...words]
  const file = `${sourceFolder(files)}${parts.join('/')}.${isJavaScript(files) ? 'js' : 'ts'}`
  if (files.has(file)) throw new BotwrightError('ERR_CONFLICT', `${file} already exists: nothing was written`)
  // The rules of names are those of discovery: what it does not take would never run.
  const [entry] = discover([file]).entries
  if (!entry || entry.kind !== kind)
    throw new BotwrightError(
      'ERR_DEFINITION',
      kind === 'middleware'
        ? `${file}: a middleware belongs in the bot's folder or below commands/, buttons/, events/ or tasks/: framework add middleware commands/admin`
        : `${file}: files whose name begins with "_" or "." are ignored; choose another name`,
    )
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

/** A bot whose handlers stand under `src/` gets the new one there too. */
const sourceFolder = (files: ReadonlySet<string>): string =>
  [...files].some((file) => /^src\/(?:commands|buttons|events|tasks|state)\//.test(file)) ? 'src/' : ''

/** A bot that is written in JavaScript gets more of it: the templates need no types. */
function isJavaScript(files: ReadonlySet<string>): boolean {
  if (files.has('tsconfig.json')) return false
  const handlers = [...files].filter((file) => /^(?:src\/)?(?:commands|buttons|events|tasks|state)\//.test(file))
  return files.has('jsconfig.json') || (handlers.length > 0 && handlers.every((file) => /\.m?js$/.test(file)))
}

/** Another file may define the same thing: under a group, or with another ending. What else is wrong with the bot is not the matter here. */
function refuseTwin(file: string, files: ReadonlySet<string>): void {
  try {
    discover([...files, file])
  } catch (error) {
    const { code, message } = error as BotwrightError
    const twin = message.split('\n').find((line) => line.includes(file))
    if (code === 'ERR_CONFLICT' && twin !== undefined)
      throw new BotwrightError('ERR_CONFLICT', `${twin}: nothing was written`)
  }
}
