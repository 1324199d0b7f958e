import { relative, resolve } from 'node:path'
import { commandsWarning, handlerFolders, mapStacks, type ProgramIo } from '@botwright/framework/start'
import { BotwrightError, printableBlock } from '@botwright/protocol/facts'
import { readBotFolder } from '../files/bot-folder.ts'
import { openBotFolder } from '../files/open-folder.ts'
import { pathBelow, slashed } from '../files/path-below.ts'
import { buildBot, mayOverwrite } from './bundle.ts'
import { showProblem } from '../problems/code-frame.ts'
import { writeTypes } from '../generated-types/write-types.ts'
import { problemsOf, withVariables } from '../problems/load-problem.ts'
import { count, createTerminal, duration, table } from '../terminal/terminal.ts'

/** The options of `framework build`. */
export interface BuildOptions {
  out: string
  /** Builds functions instead of the folder that `framework start` runs, with the interval of their schedule. */
  functions?: { everyMs: number } | undefined
}

/** `framework build`: writes the folder that `framework start` runs, or functions. Resolves with the exit code. */
export async function runBuild({ io, out, functions }: { io: ProgramIo } & BuildOptions): Promise<number> {
  const startedMs = performance.now()
  const terminal = createTerminal(io)
  const { colors } = terminal
  mapStacks()
  const { root, files } = await openBotFolder(io.cwd)
  const outDir = resolve(root, out)
  const shown = relative(root, outDir)
  const [first = '', second = ''] = slashed(shown).split('/')
  // The next build would read the built files as handlers.
  if (handlerFolders.includes(first === 'src' ? second : first))
    throw new BotwrightError('ERR_CONFIG', `${shown} is in a folder of handlers; choose another folder with --out`)
  if (shown === '' || !(await mayOverwrite(outDir))) {
    throw new BotwrightError('ERR_CONFIG', `${outDir} is not empty and not a build; choose another folder with --out`)
  }
  const warn = (text: string) => terminal.print(`${colors.yellow('!')} ${printableBlock(text)}`)
  try {
    const built = functions
      ? await (await import('./functions/build-functions.ts')).buildFunctions({ root, outDir, files, io, ...functions })
      : await buildBot({ root, folder: readBotFolder(files), outDir, files, io, warn })
    if ('more' in built) await writeTypes(root, built)
    const code = built.files.filter((file) => !file.path.endsWith('.map'))
    const rows = code
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, 15)
      .map(({ path, bytes }) => [`  ${colors.dim(`${shown}/`)}${path}`, size(bytes)])
    for (const line of table(rows)) terminal.print(line)
    if (code.length > rows.length) terminal.print(colors.dim(`  … and ${code.length - rows.length} more`))
    const total = code.reduce((sum, file) => sum + file.bytes, 0)
    const ms = performance.now() - startedMs
    const warning = commandsWarning(built.definitions)
    for (const text of [...(warning === undefined ? [] : [warning]), ...built.ignoredSettings]) warn(text)
    if ('differences' in built) for (const text of built.differences) warn(text)
    const handlers = count(built.definitions.length, 'handler')
    terminal.print(`${colors.green('✓')} ${handlers} in ${shown}/, ${size(total)}  ${colors.dim(duration(ms))}`)
    return 0
  } catch (error) {
    const problems = withVariables(await problemsOf(error, root), io.env)
    for (const problem of problems) terminal.print(await showProblem(problem, root, terminal))
    if (pathBelow(root, outDir) === undefined && problems.some(({ text }) => text.includes(' is not installed: ')))
      warn(`${outDir} is outside of the bot's folder: code in it does not find the packages in node_modules of the bot`)
    terminal.print(colors.red('nothing was built'))
    return 1
  }
}

const size = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} kB`)
