import { mkdtemp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '@botwright/framework'
import { loadConfigModule, openBotFolder, readBotFolder, rootsOf } from './bot-folder.ts'
import { showProblem } from './code-frame.ts'
import { Compiler } from './compile.ts'
import { describeBot } from './describe.ts'
import { problemsOf } from './load-problem.ts'
import type { Problem } from './problem.ts'
import { count, createTerminal, duration } from './terminal.ts'
import { typeProblems } from './typecheck.ts'

/** `framework check`: discovers, compiles and loads every file of a bot, and checks its types. 1 when anything is wrong. */
export async function runCheck(options: { folder: string }): Promise<number> {
  const startedMs = performance.now()
  const terminal = createTerminal()
  const { colors } = terminal
  const { root, files } = await openBotFolder(options.folder)
  const [loaded, typed] = await Promise.all([loadProblems(root, files), typeProblems(root)])
  // A file that does not parse is told once.
  const places = new Set(loaded.problems.map((problem) => `${problem.file}:${problem.line}`))
  const types = (typed ?? []).filter((problem) => !places.has(`${problem.file}:${problem.line}`))
  const problems = [...loaded.problems, ...types]
  for (const problem of problems) terminal.print(await showProblem(problem, root, colors))
  if (typed === undefined)
    terminal.print(
      colors.dim('types were not checked: typescript is not installed in this bot, or it has no tsconfig.json'),
    )
  const took = colors.dim(duration(performance.now() - startedMs))
  if (problems.length > 0) terminal.print(`${colors.red(`✘ ${count(problems.length, 'problem')}`)}  ${took}`)
  else terminal.print(`${colors.green('✓')} ${count(loaded.handlers, 'handler')}, nothing wrong  ${took}`)
  return problems.length > 0 ? 1 : 0
}

async function loadProblems(
  root: string,
  files: Set<string>,
): Promise<{ problems: readonly Problem[]; handlers: number }> {
  process.setSourceMapsEnabled(true)
  const stateDir = join(root, '.botwright')
  await mkdir(stateDir, { recursive: true })
  const outDir = await mkdtemp(join(stateDir, 'check-'))
  try {
    const folder = readBotFolder(files)
    const { modules } = await new Compiler({ root, outDir }).compile({ roots: rootsOf(folder) })
    const { configFile, manifest } = folder
    await readConfig(await loadConfigModule(configFile && modules[configFile]), configFile)
    const { definitions } = await describeBot({ manifest, root, modules })
    return { problems: [], handlers: definitions.length }
  } catch (error) {
    return { problems: await problemsOf(error, root), handlers: 0 }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}
