import { ScaffoldError } from './scaffold-error.ts'

/** Characters that do not display as themselves: control characters, direction marks, lone surrogates. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
/** Device names, which Windows reserves with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i
const forbidden = /[<>:"|?*]/
const scoped = /^@(?<scope>[a-z0-9][a-z0-9._-]*)\/(?<name>[a-z0-9][a-z0-9._-]*)$/

/** File systems allow 255 bytes; the draft next to the folder has a longer name than the folder. */
const most = { characters: 100, bytes: 200, folders: 8 }

/** The location of a new bot, and the scope of its package. */
export interface Place {
  /** The path from the current folder; empty for the current folder itself. */
  folders: readonly string[]
  /** The package's scope: `@acme/my-bot` becomes the folder `my-bot`. */
  scope: string | undefined
}

/**
 * Reads the location of a new bot. Accepts only paths below the current folder whose names are valid on every system, so that a bot
 * created on one machine can be checked out on another. Throws ERR_NAME.
 */
export function readPlace(given: string): Place {
  const wrong = (why: string) => new ScaffoldError('ERR_NAME', why)
  if (given.trim() === '') throw wrong('the folder name is empty; pass one: create-bot my-bot')
  if (hidden.test(given)) throw wrong('the folder name contains invisible characters; use plain letters')
  if (/^(?:[a-z]:|[\\/])/i.test(given))
    throw wrong(`"${given}" is an absolute path; change to the parent folder and pass only the name`)
  const { scope, name } = scoped.exec(given)?.groups ?? {}
  if (given.startsWith('@') && name === undefined)
    throw wrong(`"${given}" is not a package name; use @scope/my-bot in lower case`)
  const folders = (name ?? given)
    .replace(/^(?:\.[\\/]+)+/, '')
    .split(/[\\/]+/)
    .filter((folder, i, all) => folder !== '' || (i === 0 && all.length === 1))
  if (folders.includes('..'))
    throw wrong(`"${given}" is outside the current folder; change to the parent folder and pass only the name`)
  if (folders.every((folder) => folder === '.' || folder === '')) return { folders: [], scope }
  for (const folder of folders) {
    const problem = folderProblem(folder)
    if (problem !== undefined) throw wrong(`"${short(folder)}" is not a valid folder name: ${problem}`)
  }
  if (folders.length > most.folders) throw wrong(`"${short(given)}" is too deep: use at most ${most.folders} folders`)
  return { folders, scope }
}

function folderProblem(folder: string): string | undefined {
  if (reserved.test(folder)) return 'Windows reserves it for a device; choose another'
  if (forbidden.test(folder)) return 'not every system allows < > : " | ? *; remove them'
  if (/[. ]$|^ /.test(folder)) return 'it starts with a space, or ends with a space or a dot'
  if (folder.startsWith('.')) return 'folders that start with a dot are hidden'
  if (folder.startsWith('-')) return 'programs would read it as an option'
  if (folder.startsWith('~')) return 'the shell would read it as the home folder'
  if (folder.toLowerCase() === 'node_modules') return 'it is reserved for packages'
  if ([...folder].length > most.characters || Buffer.byteLength(folder) > most.bytes)
    return `it is longer than ${most.characters} characters or ${most.bytes} bytes`
  return undefined
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** The package name of a bot: the folder's name in characters that npm allows. `taken` lists the names of its dependencies. */
export function packageName(folder: string, scope: string | undefined, taken: readonly string[]): string {
  const plain = folder
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)
    .replace(/-+$/, '')
  const base = plain === '' || plain === 'node_modules' ? 'bot' : plain
  const name = scope === undefined ? base : `@${scope}/${base}`
  // npm cannot install a package into a package with the same name.
  return taken.includes(name) ? `${name}-bot` : name
}
