import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { BotwrightError, cut } from '@botwright/protocol/facts'
import { projectsOf } from '../files/settings-files.ts'
import { textExtensions } from './emitted-path.ts'
import type { Problem } from './problem.ts'

/** The compiler's settings, relative to the bot's folder: a bot in JavaScript uses those of an editor. */
export const settingsOf = (root: string): string | undefined =>
  ['tsconfig.json', 'jsconfig.json'].find((name) => existsSync(join(root, name)))

/**
 * Checks the types of a bot with its own compiler; undefined if it has no compiler or no settings. Rejects with `ERR_CONFIG` if the
 * compiler itself fails.
 */
export async function typeProblems(root: string): Promise<Problem[] | undefined> {
  const tsc = compilerOf(root)
  const settings = settingsOf(root)
  if (tsc === undefined || settings === undefined) return undefined
  const problems: Problem[] = []
  for (const project of projectsOf(join(root, settings)))
    problems.push(...(await problemsOfProject(root, tsc, project)))
  return problems
}

function problemsOfProject(root: string, tsc: string, project: string): Promise<Problem[]> {
  return new Promise((resolve, reject) => {
    // Not `-b --noEmit`: it rejects a project with sources that refers to another one.
    execFile(
      process.execPath,
      [tsc, '-p', project, '--noEmit', '--pretty', 'false'],
      { cwd: root, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        // It ends with 1 or 2 if it found errors, which is not a failure.
        if (error && typeof error.code !== 'number') return reject(new Error(`tsc: ${error.message}`, { cause: error }))
        const problems = readProblems(stdout + stderr)
        if (!error || problems.length > 0) return resolve(problems)
        const why = `typescript exited with code ${error.code} and reported no problem. Run npx tsc -p ${relative(root, project)} --noEmit; if that fails too, install typescript again`
        reject(new BotwrightError('ERR_CONFIG', `${why}\n${cut((stderr || stdout).trim(), 2000)}`, { cause: error }))
      },
    )
  })
}

/** The compiler prints the reason in indented lines; the last one is closest to the source. */
export function readProblems(output: string): Problem[] {
  const problems: Problem[] = []
  const reasons: string[] = []
  const close = () => {
    const [last] = problems.slice(-1)
    const reason = reasons.splice(0).slice(-2)
    if (last && reason.length > 0) last.text += `\n  ${(isPlace(reason[0]!) ? reason : reason.slice(-1)).join(' ')}`
  }
  for (const line of output.split('\n')) {
    if (/^\s+\S/.test(line)) {
      reasons.push(line.trim())
      continue
    }
    close()
    problems.push(...readLine(line))
  }
  close()
  return problems
}

const isPlace = (reason: string): boolean => /^(Types of property|The types of) /.test(reason)

/** The program of the bot's installed compiler. `@typescript/typescript6`, an alias next to TypeScript 7, gives it another name. */
export function compilerOf(root: string): string | undefined {
  try {
    const require = createRequire(join(root, 'package.json'))
    const file = require.resolve('typescript/package.json')
    const { bin = {} } = require(file) as { bin?: { tsc?: string; tsc6?: string } }
    const program = bin.tsc ?? bin.tsc6
    return program === undefined ? undefined : join(dirname(file), program)
  } catch {
    // Not installed in this bot: it may be written in JavaScript.
    return undefined
  }
}

/** `commands/ping.ts(3,7): error TS2322: …`, or `error TS5083: …` without a file. */
function readLine(line: string): Problem[] {
  const [, file, row, column, text] = /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+: .*)$/.exec(line.trimEnd()) ?? []
  if (text === undefined) return []
  const [, imported] = /^TS2307: Cannot find module '[^']*(\.\w+)'/.exec(text) ?? []
  const isText = textExtensions.some((extension) => extension === imported)
  const declaration = `declare module '*${imported}' { const text: string; export default text }`
  return [
    {
      text: text.startsWith('TS6305:') ? `${text} Run npx tsc -b first.` : text,
      ...(file !== undefined && { file, line: Number(row), column: Number(column) }),
      ...(isText && { notes: [`add a file texts.d.ts: ${declaration}`] }),
    },
  ]
}
