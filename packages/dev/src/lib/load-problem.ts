import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CompileError, slashed, type Problem } from './problem.ts'
import { sourceOfEmitted } from './resolve.ts'

/** Where in the author's files an error comes from. Stacks are mapped to the sources already; the emitted paths are not shown. */
export async function problemsOf(error: unknown, root: string, outDir: string): Promise<readonly Problem[]> {
  if (error instanceof CompileError) return error.problems
  if (!(error instanceof Error)) return [{ text: String(error) }]
  return [(await missingExport(error, root, outDir)) ?? placeInStack(error, root) ?? placeInMessage(error)]
}

const stackPlace = /(?:\(|at |async )(?:file:\/\/)?(\/[^():]+|[A-Za-z]:[^():]+):(\d+):(\d+)\)?$/

/** The topmost line of the stack that stands in the bot's own files. */
function placeInStack(error: Error, root: string): Problem | undefined {
  for (const line of (error.stack ?? '').split('\n')) {
    const [, path, row, column] = stackPlace.exec(line) ?? []
    if (path === undefined) continue
    const file = slashed(relative(root, path))
    if (file.startsWith('..') || /(?:^|\/)(?:node_modules|\.botwright)\//.test(file)) continue
    return { file, line: Number(row), column: Number(column), text: textOf(error) }
  }
  return undefined
}

/** `The requested module './b.ts.00.mjs' does not provide an export named 'x'`: Node tells the emitted file alone. */
async function missingExport(error: Error, root: string, outDir: string): Promise<Problem | undefined> {
  const [, specifier, name] =
    /requested module '([^']+)' does not provide an export named '([^']+)'/.exec(error.message) ?? []
  const [, url] = /^(file:\/\/.+?):\d+$/m.exec(error.stack ?? '') ?? []
  if (specifier === undefined || name === undefined || url === undefined) return undefined
  const file = sourceOfEmitted(slashed(relative(outDir, fileURLToPath(url))))
  if (file === undefined) return undefined
  const source = await readFile(join(root, file), 'utf8')
  const lines = source.split('\n')
  const index = lines.findIndex((line) => new RegExp(`\\b${name.replaceAll('$', '\\$')}\\b`).test(line))
  const place = index < 0 ? { line: 1, column: 1 } : { line: index + 1, column: lines[index]!.indexOf(name) + 1 }
  const from = sourceOfEmitted(specifier) ?? specifier
  return { file, ...place, length: name.length, text: `${from} has no export named "${name}"` }
}

/** Messages of the framework begin with the file. */
function placeInMessage(error: Error): Problem {
  const [, file, text] = /^([^\s:]+\.[cm]?[jt]s): ([^]+)$/.exec(error.message) ?? []
  return file === undefined || text === undefined ? { text: textOf(error) } : { file, text }
}

const textOf = (error: Error): string =>
  (error.name === 'Error' || error.name === 'BotwrightError' ? '' : `${error.name}: `) + error.message
