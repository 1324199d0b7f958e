import type { ProgramIo } from '@botwright/framework/start'
import { openBotFolder } from '../files/open-folder.ts'
import { showProblem } from '../problems/code-frame.ts'
import { typesFile } from '../generated-types/write-types.ts'
import { loadFolder, writeTypesOf } from '../load/loaded-folder.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { createTerminal } from '../terminal/terminal.ts'

/** `framework types`: updates `.framework/types.d.ts`, for a separate run of `tsc`. */
export async function runTypes({ io }: { io: ProgramIo }): Promise<number> {
  const terminal = createTerminal(io)
  const { colors, print } = terminal
  const { root, files } = await openBotFolder(io.cwd)
  try {
    const changed = await writeTypesOf(root, await loadFolder(root, files, io))
    print(`${colors.green('✓')} ${typesFile} ${changed ? 'was written' : 'is up to date'}`)
    return 0
  } catch (error) {
    for (const problem of await problemsOf(error, root)) print(await showProblem(problem, root, terminal))
    return 1
  }
}
