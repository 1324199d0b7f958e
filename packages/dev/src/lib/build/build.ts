import type { BuiltBot } from './bundle.ts'

/** Builds the bot of a folder into `outDir` (absolute, inside that folder), as `framework build` does. Rejects with the same errors. */
export async function build(folder: string, outDir: string): Promise<BuiltBot> {
  // Loads the compiler on demand: `framework service` and every `--help` load this module too.
  const [{ processIo }, { openBotFolder }, { readBotFolder }, { buildBot }] = await Promise.all([
    import('@botwright/framework/start'),
    import('../files/open-folder.ts'),
    import('../files/bot-folder.ts'),
    import('./bundle.ts'),
  ])
  const { root, files } = await openBotFolder(folder)
  return buildBot({ root, folder: readBotFolder(files), outDir, files, io: processIo() })
}
