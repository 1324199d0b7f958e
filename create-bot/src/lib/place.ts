import { ScaffoldError } from './scaffold-error.ts'

/** What no file system and no terminal shows as it is: control characters, marks that turn the writing direction, broken halves of letters. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
/** Names of devices, which Windows opens whatever ending stands behind them. */
const reserved = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i
const forbidden = /[<>:"|?*]/
const scoped = /^@(?<scope>[a-z0-9][a-z0-9._-]*)\/(?<name>[a-z0-9][a-z0-9._-]*)$/

/** File systems take 255 bytes; the draft beside the folder has a longer name than the folder. */
const most = { characters: 100, bytes: 200, folders: 8 }

/** Where a bot shall stand, and what its package is called. */
export interface Place {
  /** From the folder where create-bot was started; none for that folder itself. */
  folders: readonly string[]
  /** The package's scope: `@acme/my-bot` becomes the folder `my-bot`. */
  scope: string | undefined
}

/**
 * Reads what somebody typed as the place of a new bot. Takes only what leads downwards and is a name on every system, so that a bot
 * made on one machine can be checked out on another. Throws ERR_NAME.
 */
export function readPlace(given: string): Place {
  const wrong = (why: string) => new ScaffoldError('ERR_NAME', why)
  if (given.trim() === '') throw wrong('the folder has no name; give one: create-bot my-bot')
  if (hidden.test(given)) throw wrong('the folder name holds invisible characters; use plain letters')
  if (/^(?:[a-z]:|[\\/])/i.test(given))
    throw wrong(`"${given}" is an absolute path; go to the folder above and give the name alone`)
  const { scope, name } = scoped.exec(given)?.groups ?? {}
  if (given.startsWith('@') && name === undefined)
    throw wrong(`"${given}" is no package name; write it as @scope/my-bot, in small letters`)
  const folders = (name ?? given)
    .replace(/^(?:\.[\\/]+)+/, '')
    .split(/[\\/]+/)
    .filter((folder, i, all) => folder !== '' || (i === 0 && all.length === 1))
  if (folders.includes('..')) throw wrong(`"${given}" leads upwards; go to the folder above and give the name alone`)
  if (folders.every((folder) => folder === '.' || folder === '')) return { folders: [], scope }
  for (const folder of folders) {
    const problem = folderProblem(folder)
    if (problem !== undefined) throw wrong(`"${short(folder)}" cannot be the name of a folder: ${problem}`)
  }
  if (folders.length > most.folders) throw wrong(`"${short(given)}" is too deep: at most ${most.folders} folders`)
  return { folders, scope }
}

function folderProblem(folder: string): string | undefined {
  if (reserved.test(folder)) return 'Windows keeps it for a device; choose another'
  if (forbidden.test(folder)) return 'no system takes all of < > : " | ? *; leave them out'
  if (/[. ]$|^ /.test(folder)) return 'it begins with a space, or ends with a space or a dot'
  if (folder.startsWith('.')) return 'folders that begin with a dot are hidden, and hold no bots'
  if (folder.startsWith('-')) return 'every program would read it as an option'
  if (folder.startsWith('~')) return 'the shell would read it as the home folder'
  if (folder.toLowerCase() === 'node_modules') return 'packages live there'
  if ([...folder].length > most.characters || Buffer.byteLength(folder) > most.bytes)
    return `it is longer than ${most.characters} letters`
  return undefined
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** The package name of a bot: the folder's name in the letters that npm allows. `taken` are the names that it depends on. */
export function packageName(folder: string, scope: string | undefined, taken: readonly string[]): string {
  const plain = folder
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)
    .replace(/-+$/, '')
  const base = plain === '' || plain === 'node_modules' ? 'bot' : plain
  const name = scope === undefined ? base : `@${scope}/${base}`
  // A package cannot be installed into one of its own name.
  return taken.includes(name) ? `${name}-bot` : name
}
