import type { BotSource } from '../link/ports.ts'
import type { StepReports } from '../link/recorded-step.ts'
import type { OpenEventFiles } from './event-files.ts'
import type { BotHost } from './host.ts'
import { type Layer, layerOf } from './layer.ts'

/** The layers of the features that this bot uses. Most bots use none, and load no table of features. `reports`: of a recorded bot. */
export async function openLayers(
  source: BotSource,
  { hiddenEnv, tracing }: Pick<BotHost, 'hiddenEnv' | 'tracing'>,
  reports?: StepReports,
): Promise<Layer> {
  if (!tracing && !reports) return {}
  const features = await import('../features/layers.ts')
  return layerOf([
    tracing ? await features.tracing(source.root, hiddenEnv) : {},
    reports ? await features.history(source, reports) : {},
  ])
}

/** Loads the running of event files. */
export async function openEventFiles(): Promise<OpenEventFiles> {
  return (await import('../features/layers.ts')).eventFiles()
}

/** Loads the running of the files of the event `error`. */
export const openErrorFiles = async () => (await import('../features/layers.ts')).errorFiles()
