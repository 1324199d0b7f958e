import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Problem } from './problem.ts'

/** The settings of the compiler, relative to the bot's folder: a bot in JavaScript has those of an editor. */
export const settingsOf = (root: string): string | undefined =>
  ['tsconfig.json', 'jsconfig.json'].find((name) => existsSync(join(root, name)))

/** Checks the types of a bot with its own compiler; undefined when it has none, or no settings for it. */
export async function typeProblems(root: string): Promise<Problem[] | undefined> {
  const tsc = compilerOf(root)
  const settings = settingsOf(root)
  if (tsc === undefined || settings === undefined) return undefined
  const output = await new Promise<string>((resolve, reject) => {
    const args = [tsc, '--noEmit', '--pretty', 'false', '-p', join(root, settings)]
    execFile(process.execPath, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      // It ends with 1 or 2 when it found something, which is no failure of ours.
      if (error && typeof error.code !== 'number') reject(new Error(`tsc: ${error.message}`, { cause: error }))
      else resolve(stdout + stderr)
    })
  })
  return output.split('\n').flatMap((line) => readLine(line))
}

function compilerOf(root: string): string | undefined {
  try {
    return join(dirname(createRequire(join(root, 'package.json')).resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    // Not installed in this bot: a bot may be written in JavaScript.
    return undefined
  }
}

/** `commands/ping.ts(3,7): error TS2322: …`, or `error TS5083: …` without a file. */
function readLine(line: string): Problem[] {
  const [, file, row, column, text] = /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+: .*)$/.exec(line.trimEnd()) ?? []
  if (text === undefined) return []
  return [{ text, ...(file !== undefined && { file, line: Number(row), column: Number(column) }) }]
}
