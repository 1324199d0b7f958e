import { inspectInfo, type ProgramIo } from '@botwright/framework/start'
import { openBotFolder } from '../files/open-folder.ts'
import { loadFiles } from '../load/loaded-folder.ts'

/** `framework info`, with the files of the bot. */
export async function runInfo({ io, ...options }: { io: ProgramIo; json: boolean; state: string }): Promise<number> {
  const { root, files } = await openBotFolder(io.cwd)
  return inspectInfo({ io: { ...io, cwd: root }, ...options, read: () => loadFiles(root, files, io) })
}
