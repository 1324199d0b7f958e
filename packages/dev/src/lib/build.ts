import type { BuiltBot } from './bundle.ts'

/**
 * Builds the bot of a folder into `outDir` (absolute, inside that folder), as `framework build` does. Rejects with the errors that it
 * would report.
 */
export async function build(folder: string, outDir: string): Promise<BuiltBot> {
  // The compiler is loaded by those who build: `framework service` and every help come through this module too.
  const [{ openBotFolder, readBotFolder }, { buildBot }] = await Promise.all([
    import('./bot-folder.ts'),
    import('./bundle.ts'),
  ])
  const { root, files } = await openBotFolder(folder)
  return buildBot(root, readBotFolder(files), outDir, files)
}
