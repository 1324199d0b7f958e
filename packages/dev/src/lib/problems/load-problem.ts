import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { diskTrouble, loadReason, UNEXPORTED } from '@botwright/framework/start'
import { pathBelow, slashed } from '../files/path-below.ts'
import { CompileError, type Problem } from '../compile/problem.ts'
import { sourceLines } from './code-frame.ts'
import { decoded, sourceOfEmitted } from '../compile/emitted-path.ts'

/** Where in the author's files an error comes from. Stacks are already mapped to the sources; emitted paths are not shown. */
export async function problemsOf(error: unknown, root: string): Promise<readonly Problem[]> {
  if (error instanceof CompileError) return error.problems
  if (!(error instanceof Error)) return [{ text: String(error) }]
  const trouble = diskTrouble(error, root)
  if (trouble !== undefined) return [{ text: trouble }]
  const at = (await missingExport(error, root)) ?? placeInStack(error, root)
  return at ? [at] : Promise.all(placesInMessage(error).map((one) => withField(one, root)))
}

/** Adds the first place of an unknown field in the file. */
async function withField(problem: Problem, root: string): Promise<Problem> {
  const { file, line, text } = problem
  const [, field] = /^unknown field "([\w$]+)"/.exec(text) ?? []
  if (file === undefined || line !== undefined || field === undefined) return problem
  const lines = await sourceLines(root, file)
  const columns = lines.map((source) => columnOf(source, field))
  const at = columns.findIndex((column) => column > 0)
  return at < 0 ? problem : { ...problem, line: at + 1, column: columns[at]!, length: field.length }
}

/** The 1-based column of `name:`, `'name':`, `name(` or `name,` in a line; 0 if it has none. */
function columnOf(source: string, name: string): number {
  for (let at = source.indexOf(name); at >= 0; at = source.indexOf(name, at + 1)) {
    const rest = source.slice(at + name.length).replace(/^['"]?\s*/, '')
    if (!/[\w$.]/.test(source.charAt(at - 1)) && /^[:(,]/.test(rest)) return at + 1
  }
  return 0
}

/** Adds the fix to problems that name a variable that is not set, such as `API_KEY is not set`: the program that runs the bot may set it. */
export function withVariables(problems: readonly Problem[], env: NodeJS.ProcessEnv): Problem[] {
  return problems.map((problem) => {
    const name = problem.text
      .match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g)
      ?.find((one) => !isCode(one) && env[one] === undefined)
    if (name === undefined) return problem
    const fix = `${name} is not set here, where each file of the bot is loaded: set it for this command too, as in .env, or read it in the handler`
    return { ...problem, notes: [...(problem.notes ?? []), fix] }
  })
}

const isCode = (name: string): boolean => name.startsWith('ERR_')

/** A path as stacks contain it: of this system, or as a URL. */
const place = String.raw`(?:file:\/\/)?(?:\/|[A-Za-z]:)[^\n]+?`
const stackPlace = new RegExp(String.raw`(?:\(|at |async )(${place}):(\d+):(\d+)\)?$`)
/** Precedes a stack, which may be that of a cause. */
const linePlace = new RegExp(`^(?:caused by )?(${place}):(\\d+)$`, 'm')

const pathOf = (found: string): string => (found.startsWith('file:') ? fileURLToPath(found) : found)

/** The topmost line of the stack that is in the bot's own files. */
function placeInStack(error: Error, root: string): Problem | undefined {
  const places = (error.stack ?? '').split('\n').flatMap((line) => ownPlace(line, root) ?? [])
  // The source map of a package may name files that the bot does not have.
  const place = places.find(({ file }) => existsSync(join(root, file)))
  return place && { file: place.file, line: place.line, column: place.column, text: textOf(error, place.file) }
}

/** The location in the bot's own files that a line of a stack names; `found` is the path in that line. */
export function ownPlace(
  stackLine: string,
  root: string,
): { found: string; file: string; line: number; column: number } | undefined {
  const [, found, row, column] = stackPlace.exec(stackLine) ?? []
  const file = found && pathBelow(root, pathOf(found))
  if (!file || /(?:^|\/)(?:node_modules|\.botwright)\//.test(file)) return undefined
  return { found, file, line: Number(row), column: Number(column) }
}

/** `The requested module './b.ts.00.mjs' does not provide an export named 'x'`: the location precedes the stack, without a column. */
async function missingExport(error: Error, root: string): Promise<Problem | undefined> {
  const [, specifier, name] = UNEXPORTED.exec(error.message) ?? []
  const [, found, row] = linePlace.exec(error.stack ?? '') ?? []
  if (specifier === undefined || name === undefined || found === undefined) return undefined
  const file = slashed(relative(root, pathOf(found)))
  const line = Number(row)
  const text = (await sourceLines(root, file))[line - 1] ?? ''
  const column = text.search(new RegExp(`\\b${name.replaceAll('$', '\\$')}\\b`)) + 1
  const own = sourceOfEmitted(specifier) ?? (specifier.startsWith('.') ? specifier : undefined)
  const reason = own === undefined ? loadReason(error) : `${decoded(own)} has no export named "${name}"`
  return { file, line, column: Math.max(1, column), length: name.length, text: reason }
}

/** Messages of the framework begin with the file; if there are several, each line does. */
function placesInMessage(error: Error): Problem[] {
  const lines = error.message.split('\n')
  if (lines.length > 1 && lines.every((line) => placed.test(line) || conflict.test(line)))
    return lines.map((line) => placed.exec(line)).map((one, i) => (one ? problemIn(one) : { text: lines[i]! }))
  const whole = placed.exec(error.message)
  return [whole ? problemIn(whole) : { text: textOf(error) }]
}

/** `commands/a.ts: …`, `commands/a.ts has no run: …` */
const placed = /^([^\s:]+\.[cm]?[jt]s)(?::(\d+))?(?::? )(?!and )([^]+)$/
/** `commands/a.ts and commands/b.ts both define …` */
const conflict = /^\S+\.[cm]?[jt]s and /
const problemIn = ([, file, line, text]: RegExpExecArray): Problem => ({
  file: file!,
  text: text!,
  ...(line !== undefined && { line: Number(line) }),
})

/** The message, without the part that the location already contains. */
function textOf(error: Error, file?: string): string {
  const kind = ['Error', 'BotwrightError'].includes(error.name) ? '' : `${error.name}: `
  const reason = loadReason(error)
  return kind + (file === undefined ? reason : reason.replace(`${file} cannot be loaded: `, ''))
}
