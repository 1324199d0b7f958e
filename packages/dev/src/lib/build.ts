import { openBotFolder, readBotFolder } from './bot-folder.ts'
import { buildBot, type BuiltBot } from './bundle.ts'

/** Builds the bot of a folder into `outDir` (absolute, inside that folder), as `framework build` does. Rejects with what it would report. */
export async function build(folder: string, outDir: string): Promise<BuiltBot> {
  const { root, files } = await openBotFolder(folder)
  return buildBot(root, readBotFolder(files), outDir)
}
