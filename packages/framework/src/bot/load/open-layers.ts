import type { CommandContext } from '../../author/context.ts'
import { type Defined, definedAs } from '../../author/definition.ts'
import type { Definition, Entry } from '../../author/files/entries.ts'
import type { BotSource } from '../../link/ports.ts'
import type * as table from '../../features/bot-features.ts'
import type { StepReports } from '../../link/recorded-step.ts'
import type { Disposal } from '../dispose/disposal.ts'
import type { OpenEventFiles } from '../event-files.ts'
import type { BotHost } from '../host.ts'
import { type Layer, layerOf } from '../layer.ts'
import type { OpenDurableHandlers } from '../durable-handlers.ts'
import type { OffGuards } from '../guards/guarded.ts'
import type { OwnHandling } from '../own-handling.ts'

/** The layers of the features that this bot uses. Most bots use none. `reports`: of a recorded bot. */
export async function openLayers(
  source: BotSource,
  { tracing, disposal, ...host }: Pick<BotHost, 'env' | 'hiddenEnv' | 'tracing'> & { disposal?: Disposal },
  reports?: StepReports,
): Promise<Layer> {
  if (!tracing && !reports) return {}
  const features = await import('../../features/bot-features.ts')
  return layerOf([
    tracing ? await features.tracing(source.root, host, disposal) : {},
    reports ? await features.history(source, reports) : {},
  ])
}

/**
 * Loads what any handler may use, before the first one runs: a wait for an answer begins in the turn of the call, and a durable handler
 * repeats its calls in their order. So no call may wait for code.
 */
export const openForHandlers = async () => (await import('../../features/bot-features.ts')).ofHandlers()

/** Loads the running of event files. */
export const openEventFiles = async (): Promise<OpenEventFiles> =>
  (await import('../../features/bot-features.ts')).eventFiles()

/** Loads the opening of resources, for a bot that has some. */
export const openResources = async (host: Parameters<typeof table.resources>[0]) =>
  host.entries.some(isResource) ? (await import('../../features/bot-features.ts')).resources(host) : undefined

const isResource = ({ kind }: Entry): boolean => kind === 'resource'

/** Loads the running of handlers that may outlive their thread, for a bot that has some. */
export const openDurableHandlers = async (
  definitions: readonly Definition[],
): Promise<OpenDurableHandlers | undefined> =>
  definitions.some(({ durable }) => durable)
    ? (await import('../../features/bot-features.ts')).durableHandlers()
    : undefined

/** Loads the guards of files that are switched off. */
export async function openSwitches(): Promise<OffGuards> {
  return (await import('../../features/bot-features.ts')).switches()
}

/** The handling of the work of this bot's own, by the type of its deliveries. */
export async function openOwn({ manifest: { entries } }: BotSource): Promise<ReadonlyMap<string, OwnHandling>> {
  const uses = new Set(entries.map(ownWork).filter((use) => use !== undefined))
  if (uses.size === 0) return new Map()
  const features = await import('../../features/bot-features.ts')
  return new Map(await Promise.all([...uses].map((use) => features[use]())))
}

/** The feature that runs a file without an event of the service. */
function ownWork({ kind, name }: Entry): 'tasks' | 'routes' | 'errorFiles' | undefined {
  if (kind === 'event') return name === 'error' ? 'errorFiles' : undefined
  return kind === 'task' ? 'tasks' : kind === 'route' ? 'routes' : undefined
}

/** The services of the handlers of each plugin, for a bot with plugins. */
export const openPlugins = async (...given: Parameters<typeof table.plugins>) => {
  const [, { manifest }, host] = given
  return manifest.plugins || host.plugins
    ? (await import('../../features/bot-features.ts')).plugins(...given)
    : undefined
}

/** The built-in `/help`. Its first run loads its text. */
export const helpCommand: Defined = {
  [definedAs]: 'command',
  run: async (ctx: CommandContext) => (await (await import('../../features/bot-features.ts')).help())(ctx),
}
