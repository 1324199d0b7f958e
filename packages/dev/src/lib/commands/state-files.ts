import type { ProgramIo } from '@botwright/framework/start'
import { openBotFolder } from '../files/open-folder.ts'
import { loadFolder, type LoadedFolder } from '../load/loaded-folder.ts'
import { showProblem } from '../problems/code-frame.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { createTerminal } from '../terminal/terminal.ts'

/** The files of the bot in this folder, for `framework state set`. Resolves with undefined after it has printed their problems. */
export async function readStateFiles(io: ProgramIo): Promise<LoadedFolder | undefined> {
  const { root, files } = await openBotFolder(io.cwd)
  try {
    return await loadFolder(root, files, io)
  } catch (error) {
    for (const problem of await problemsOf(error, root))
      io.stderr.write(`${await showProblem(problem, root, createTerminal(io, io.stderr))}\n`)
    return undefined
  }
}
