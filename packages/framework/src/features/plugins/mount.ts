import { BotwrightError } from '@botwright/protocol/facts'
import { bothDefine, commandCountProblem, discover } from '../../author/files/manifest.ts'
import type { Entry, Manifest, MountedFiles, PluginMount } from '../../author/files/entries.ts'

/** A plugin as the tools find it: its name, its package and its files. */
export interface FoundPlugin {
  // The name under which `bot.config.ts` mounts it.
  name: string
  // The name of its package: paths in messages begin with it.
  package: string
  // Paths relative to its folder, with `/`.
  files: readonly string[]
  // Folders whose JSON files, of the bot and of all its plugins, it requests.
  data: readonly string[]
}

// Names of buttons and tasks are prefixed with the plugin's name (`counting/undo`); commands share one namespace. Errors name both files.
/** Adds plugins to a bot's own files. Throws `ERR_DEFINITION` or `ERR_CONFLICT`. */
export function mountPlugins(own: Manifest, ownFiles: readonly string[], plugins: readonly FoundPlugin[]): Manifest {
  if (plugins.length === 0) return own
  const entries = [...own.entries]
  const owners = new Map(own.entries.filter(isShared).map((entry) => [keyOf(entry), entry]))
  const problems: string[] = []
  for (const plugin of plugins) {
    for (const entry of entriesOf(plugin)) {
      const other = isShared(entry) ? owners.get(keyOf(entry)) : undefined
      if (other) problems.push(bothDefine(other, entry, fixFor(other, entry)))
      else owners.set(keyOf(entry), entry)
      entries.push(entry)
    }
  }
  if (problems.length > 0) throw new BotwrightError('ERR_CONFLICT', problems.join('\n'))
  const tooMany = commandCountProblem(entries)
  if (tooMany !== undefined) throw new BotwrightError('ERR_DEFINITION', tooMany)
  return { entries, plugins: plugins.map((plugin) => mountOf(plugin, ownFiles, plugins)) }
}

/** The path of a plugin's file in messages. */
const pathIn = (plugin: { package: string }, file: string): string => `${plugin.package}/${file}`

/** Several files may handle an event; the middleware of a plugin wraps its own handlers. */
const isShared = ({ kind }: Entry): boolean => kind !== 'event' && kind !== 'middleware'

const keyOf = ({ kind, name }: Entry): string => `${kind}:${name}`

function entriesOf(plugin: FoundPlugin): Entry[] {
  try {
    return discover(plugin.files).entries.map((entry) => ({
      ...entry,
      // Users type commands, and the service names events; all other names are the plugin's own.
      ...(!['command', 'event', 'middleware'].includes(entry.kind) && { name: nameIn(plugin, entry) }),
      file: pathIn(plugin, entry.file),
      plugin: plugin.name,
    }))
  } catch (error) {
    if (!(error instanceof BotwrightError)) throw error
    const text = error.message.split('\n').map((line) => pathIn(plugin, line))
    throw new BotwrightError(error.code, text.join('\n'), { cause: error })
  }
}

/** The routes of a plugin are below its name: `POST /shop/order`. */
const nameIn = ({ name }: FoundPlugin, entry: Entry): string =>
  entry.kind === 'route' ? entry.name.replace('/', `/${name}/`) : `${name}/${entry.name}`

function fixFor(one: Entry, two: Entry): string {
  if (one.plugin === undefined) return `rename yours, or remove plugins.${two.plugin} from the bot's configuration`
  return `remove plugins.${one.plugin} or plugins.${two.plugin} from the bot's configuration`
}

function mountOf(plugin: FoundPlugin, ownFiles: readonly string[], all: readonly FoundPlugin[]): PluginMount {
  const additions = plugin.files.find((file) => /^(?:src\/)?context\.(?:ts|mts|js|mjs)$/.test(file))
  const data = [
    ...dataIn(ownFiles, plugin.data).map((found) => ({ owner: '', ...found })),
    ...all.flatMap((one) =>
      dataIn(one.files, plugin.data).map((found) => ({ owner: one.name, ...found, file: pathIn(one, found.file) })),
    ),
  ]
  return {
    name: plugin.name,
    package: plugin.package,
    ...(additions !== undefined && { context: pathIn(plugin, additions) }),
    ...(data.length > 0 && { data }),
  }
}

function dataIn(files: readonly string[], folders: readonly string[]): Omit<MountedFiles, 'owner'>[] {
  return files.flatMap((file) => {
    const path = file.startsWith('src/') ? file.slice('src/'.length) : file
    if (!path.endsWith('.json') || !folders.some((folder) => path.startsWith(`${folder}/`))) return []
    return [{ name: path.slice(0, -'.json'.length), file }]
  })
}
