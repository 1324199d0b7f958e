import { printableBlock } from '@botwright/protocol/facts'
import { windowsProblem } from '@botwright/protocol/portable-names'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openBotFolder } from '../files/open-folder.ts'
import { assembleBot, requireHandlers } from '../build/bundle.ts'
import { showProblem } from '../problems/code-frame.ts'
import { settingsWithoutTypes, typesFile } from '../generated-types/write-types.ts'
import { buttonWarnings } from './buttons-elsewhere.ts'
import { codeWarnings } from '../lint/warnings.ts'
import { checkPatterns } from '../patterns/event-patterns.ts'
import { loadFolder, writeTypesOf } from '../load/loaded-folder.ts'
import { problemsOf, withVariables } from '../problems/load-problem.ts'
import type { Problem } from '../compile/problem.ts'
import { count, createTerminal, duration } from '../terminal/terminal.ts'
import { commandsWarning, type ProgramIo } from '@botwright/framework/start'
import { settingsOf, typeProblems } from '../compile/typecheck.ts'

/** `framework check`: discovers, builds and loads every file of a bot, and checks its types. Returns 1 if anything is wrong. */
export async function runCheck({ io, json }: { io: ProgramIo; json: boolean }): Promise<number> {
  const startedMs = performance.now()
  const terminal = createTerminal(io)
  const { colors } = terminal
  const { root, files } = await openBotFolder(io.cwd)
  // The generated types rarely change, so the compiler need not wait for them.
  const early = existsSync(join(root, typesFile)) ? typeProblems(root) : undefined
  // A file that cannot be loaded may reject first.
  early?.catch(() => {})
  const loaded = await loadProblems(root, files, io)
  const typed = loaded.newTypes || !early ? (await early, await typeProblems(root)) : await early
  // A file that does not parse is reported once.
  const places = new Set(loaded.problems.map((problem) => `${problem.file}:${problem.line}`))
  // If its settings cannot be read, the compiler uses others: its findings are then not problems of the bot.
  const settings = settingsOf(root)
  const misread = loaded.problems.some(({ file }) => file !== undefined && file === settings)
  const types = misread ? [] : (typed ?? []).filter((problem) => !places.has(`${problem.file}:${problem.line}`))
  const problems = [...loaded.problems, ...types]
  const code = problems.length > 0 ? 1 : 0
  if (json) {
    const { handlers, warnings } = loaded
    const result = { ok: code === 0, handlers, types_checked: typed !== undefined, problems, warnings }
    terminal.print(JSON.stringify(result, undefined, 2))
    return code
  }
  for (const problem of problems) terminal.print(await showProblem(problem, root, terminal))
  if (typed === undefined)
    terminal.print(
      colors.dim(
        'types were not checked: typescript is not installed in this bot, or it has no tsconfig.json and no jsconfig.json',
      ),
    )
  const without = typed === undefined || misread ? undefined : await settingsWithoutTypes(root)
  if (without !== undefined)
    terminal.print(
      colors.dim(`names of other files are not type-checked: add "${typesFile}" to "include" in ${without}`),
    )
  for (const warning of loaded.warnings) terminal.print(`${colors.yellow('!')} ${printableBlock(warning)}`)
  const took = colors.dim(duration(performance.now() - startedMs))
  const warned = loaded.warnings.length === 0 ? '' : `, ${count(loaded.warnings.length, 'warning')}`
  if (code === 1) terminal.print(`${colors.red(`✘ ${count(problems.length, 'problem')}${warned}`)}  ${took}`)
  else terminal.print(`${colors.green('✓')} ${count(loaded.handlers, 'handler')}, no problems${warned}  ${took}`)
  return code
}

interface Loaded {
  problems: readonly Problem[]
  handlers: number
  newTypes: boolean
  /** Problems that stop nothing yet. */
  warnings: readonly string[]
}

async function loadProblems(root: string, files: Set<string>, io: ProgramIo): Promise<Loaded> {
  const warnings: string[] = []
  try {
    const warn = (text: string) => warnings.push(text)
    const folder = await loadFolder(root, files, io, (own, outDir) => assembleBot({ root, folder: own, outDir, warn }))
    requireHandlers(folder.definitions)
    await checkPatterns(folder.definitions)
    const warning = commandsWarning(folder.definitions)
    // A plugin's author checks its files.
    const own = new Map(folder.definitions.filter(({ file }) => files.has(file)).map((one) => [one.file, one]))
    return {
      problems: folder.problems,
      handlers: folder.definitions.length,
      newTypes: await writeTypesOf(root, folder),
      warnings: [
        ...(warning === undefined ? [] : [warning]),
        ...folder.ignoredSettings,
        ...[...files].flatMap((file) => {
          const problem = windowsProblem(file)
          return problem === undefined ? [] : [`${file}: ${problem}`]
        }),
        ...warnings,
        ...(await codeWarnings(root, [...own.values()])),
        ...(await buttonWarnings(root, files)),
      ],
    }
  } catch (error) {
    const problems = withVariables(await problemsOf(error, root), io.env)
    return { problems, handlers: 0, newTypes: false, warnings }
  }
}
