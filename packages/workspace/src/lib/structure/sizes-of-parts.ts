import ts from 'typescript'
import { isCode, isTestOrBuildFile, readText, sourceFiles } from '../source-files.ts'
import type { Violation } from '../checks/violation.ts'

const FRAMEWORK = 'packages/framework/src/'

/**
 * How many lines of source the parts of the framework may have. A feature has a line of its own. The core is `author`, `link`, `bot`, `runtime` and
 * `cli`; the entries are the files that packages and bots import, and the tables of features.
 */
const MOST_LINES: Readonly<Record<string, number>> = {
  core: 14_950,
  entries: 515,
  'features/access': 282,
  program: 733,
  'features/arguments': 545,
  'features/broadcasts': 572,
  'features/channel-webhooks': 61,
  'features/cluster': 1096,
  'features/conversations': 703,
  'features/cooldowns': 190,
  'features/delivery': 427,
  'features/due-rows': 347,
  'features/durable': 3934,
  'features/embed': 345,
  'features/errors': 275,
  'features/event-files': 620,
  'features/functions': 1352,
  'features/gather': 328,
  'features/guards': 80,
  'features/health': 1080,
  'features/help': 160,
  'features/history': 3133,
  'features/host-files': 294,
  'features/host-lock': 210,
  'features/http-redis': 250,
  'features/inspect': 2153,
  'features/key-value-stores': 285,
  'features/mentions': 261,
  'features/message-parts': 160,
  'features/models': 396,
  'features/moments': 390,
  'features/pages': 360,
  'features/plugins': 280,
  'features/problems': 1082,
  'features/quiet-hours': 611,
  'features/replay': 694,
  'features/resources': 250,
  'features/roles': 400,
  'features/routes': 1364,
  'features/set-aside': 190,
  'features/single-instance': 395,
  'features/state': 465,
  'features/stored-state': 521,
  'features/streams': 780,
  'features/switches': 570,
  'features/tasks': 1105,
  'features/tracing': 157,
  'features/unknown-types': 40,
}
/** A limit that is further from the lines than this share is lowered. */
const SLACK = 0.1

/** How often the framework's source may contain `as unknown as`. */
const MOST_CASTS = 24

/** The lines of all packages without this one, tests and pages. */
const MOST_LINES_IN_ALL = 101_598

const LONGEST_FUNCTION = 80

/** Reports parts of the framework that have grown, further casts in it, and functions of any package that are too long to read. */
export async function checkParts(root: string): Promise<Violation[]> {
  const files = (await sourceFiles(root)).filter((path) =>
    /^(?:packages\/(?!workspace\/)[^/]+|create-bot)\/src\//.test(path),
  )
  const sources = new Map<string, string>()
  for (const path of files.filter((one) => isCode(one) && !isTestOrBuildFile(one) && !one.includes('fixture')))
    sources.set(path, await readText(root, path))
  const framework = [...sources].filter(([path]) => path.startsWith(FRAMEWORK))
  return [
    ...tooLarge(linesOf(framework), MOST_LINES),
    ...tooManyInAll([...sources.values()]),
    ...tooManyCasts(framework, MOST_CASTS),
    ...tooLong([...sources].flatMap(([path, text]) => longFunctions(path, text))),
  ]
}

type Source = readonly [path: string, text: string]

/** The lines of each part. */
function linesOf(framework: readonly Source[]): Map<string, number> {
  const lines = new Map<string, number>()
  for (const [path, text] of framework) {
    const part = partOf(path.slice(FRAMEWORK.length))
    lines.set(part, (lines.get(part) ?? 0) + countLines(text))
  }
  return lines
}

/** `core`, `program`, `entries`, or `features/<name>`. */
function partOf(path: string): string {
  const [part] = /^(?:features\/[^/]+|program)(?=\/)/.exec(path) ?? []
  return part ?? (/^(?:features\/)?[^/]+$/.test(path) ? 'entries' : 'core')
}

const countLines = (text: string): number => text.split('\n').length - 1

function tooManyInAll(sources: readonly string[]): Violation[] {
  const count = sources.reduce((sum, text) => sum + countLines(text), 0)
  const fact = `all packages together have ${count} lines; the limit is ${MOST_LINES_IN_ALL}`
  return count > MOST_LINES_IN_ALL ? [{ file: 'packages', fact, fix: 'delete what nothing uses' }] : []
}

/** The violations of parts with these lines. */
export function tooLarge(lines: ReadonlyMap<string, number>, most: Readonly<Record<string, number>>): Violation[] {
  return [...lines].flatMap(([part, count]): Violation[] => {
    const file = part === 'core' || part === 'entries' ? FRAMEWORK : FRAMEWORK + part
    const limit = most[part]
    if (limit === undefined)
      return [{ file, fact: 'is a feature without a limit', fix: `add "${part}" to sizes-of-parts.ts` }]
    if (count > limit)
      return [{ file, fact: `${part} has ${count} lines; the limit is ${limit}`, fix: 'move a feature out, or delete' }]
    if (count < limit * (1 - SLACK))
      return [{ file, fact: `${part} has only ${count} lines`, fix: `lower its limit in sizes-of-parts.ts` }]
    return []
  })
}

function tooManyCasts(framework: readonly Source[], most: number): Violation[] {
  const places = framework.flatMap(([path, text]) => {
    const casts = text.split('as unknown as').length - 1
    return casts === 0 ? [] : [{ path, casts }]
  })
  const casts = places.reduce((sum, place) => sum + place.casts, 0)
  if (casts === most) return []
  const file = places.sort((a, b) => b.casts - a.casts)[0]?.path ?? FRAMEWORK
  return casts > most
    ? [
        {
          file,
          fact: `the framework has ${casts} "as unknown as"; the limit is ${most}`,
          fix: 'type it without a cast',
        },
      ]
    : [{ file, fact: `the framework has only ${casts} "as unknown as"`, fix: 'lower MOST_CASTS in sizes-of-parts.ts' }]
}

interface LongFunction {
  path: string
  name: string
  line: number
  lines: number
}

/** The functions of a program with more lines than are readable. */
export function longFunctions(path: string, text: string): LongFunction[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
  const found: LongFunction[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const line = lineOf(node.getStart(source))
      const lines = lineOf(node.end) - line + 1
      if (lines > LONGEST_FUNCTION) found.push({ path, name: nameOf(node), line, lines })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The name of a function, or of what it is assigned to. */
function nameOf(node: ts.SignatureDeclaration): string {
  const { parent } = node as ts.Node
  const name =
    node.name ?? (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name : undefined)
  return name?.getText() ?? 'a function'
}

/** The violations of long functions. */
export function tooLong(found: readonly LongFunction[]): Violation[] {
  return found.map(({ path, name, line, lines }) => ({
    file: path,
    line,
    fact: `${name} has ${lines} lines; the limit is ${LONGEST_FUNCTION}`,
    fix: 'split it by subject',
  }))
}
