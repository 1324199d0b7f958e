// Finds the paths that a module computes from its own location, such as `join(import.meta.dirname, '../assets/banner.txt')`.

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { AnyNode, Expression, SpreadElement } from 'acorn'
import { isCommonJs, locationNames } from './emitted-path.ts'
import { parseSource } from './syntax.ts'
import { childrenOf, memberOf } from './tree.ts'

/** A path that a module computes from its own location. */
export interface PathBeside {
  /** 1-based, in the source. */
  line: number
  column: number
  /** Absolute, in the source. If only a part of the path is known: the folder that the rest is in. */
  path: string
  /** The rest of the path depends on values at run time. */
  isPart: boolean
  /**
   * `listed`: all files of the folder are used. `required`: `createRequire` loads it. `run`: a thread or a process runs it. `other`: a function
   * with another name receives it. `passed`: such a function receives a constant.
   */
  use: 'listed' | 'required' | 'run' | 'read' | 'written' | 'other' | 'passed'
  /** The code names a constant here, such as `file` or `file.href`, whose path is in the list too. */
  isConstant: boolean
  /** The name of the exported constant that begins with this path. */
  exported?: string
  /** Where the source has the text of `new URL('…', import.meta.url)`, without its quotes. */
  literal?: { start: number; end: number }
}

/** A value that is known without running the code. */
type Value =
  | { kind: 'text'; text: string; isPart: boolean }
  // `raw`: as it was put together, with a slash at its end.
  | { kind: 'path'; path: string; isPart: boolean; isRequired?: true; raw?: string }
  | { kind: 'require'; path: string }

/** Functions that return the path that they are called with. */
const same: ReadonlySet<string> = new Set(['fileURLToPath', 'pathToFileURL', 'realpathSync', 'String', 'normalize'])
/** Functions that make another path of one. */
const making: ReadonlySet<string> = new Set(['URL', 'join', 'resolve', 'dirname', 'createRequire'])
/** Fields of a URL that are its path. */
const views: ReadonlySet<string> = new Set(['href', 'pathname'])
const listing = /^(?:readdir|opendir|cp|glob|watch)/
const running: ReadonlySet<string> = new Set(['Worker', 'fork'])
const reading = /^(?:read|createReadStream|copyFile)/
const writing = /^(?:write|append|output|save|createWriteStream|mkdir|mkdtemp|rm|unlink|rename|truncate)/
/** The second argument is written, too: programs replace a file by another one, so that it is always whole. */
const replacing = /^(?:rename|copyFile|cp|link|symlink)/
/** Functions that neither read nor write a file, and return nothing that does. */
const asking = /^(?:exists|stat|lstat|access|watch|basename|extname|relative|isAbsolute|log|info|warn|error|debug)/
const opening = /^open(?:Sync)?$/

/** The paths that the code of a file computes from its location. Rejects if the file has a syntax error. */
export async function pathsBeside(source: string, file: string): Promise<PathBeside[]> {
  const { program, placeOf } = await parseSource(source, file)
  const valueOf = evaluator(file, program)
  const exported = exportsOf(program)
  const found: PathBeside[] = []
  const visit = (node: AnyNode, use: PathBeside['use'] = 'other', name?: string): void => {
    const value = valueOf(node as Expression)
    const isConstant = sameAs(node).type === 'Identifier'
    if (value?.kind === 'path' && !(isConstant && use === 'other')) {
      const { path, isPart, isRequired } = value
      const place = placeOf(node)
      const literal = literalOf(node, source, placeOf)
      found.push({
        ...place,
        path,
        isPart,
        use: isRequired ? 'required' : use,
        isConstant,
        ...(name !== undefined && { exported: name }),
        ...(literal && { literal }),
      })
      return
    }
    const uses = usesOf(node)
    const constant = node.type === 'VariableDeclarator' && node.id.type === 'Identifier' ? node.id.name : ''
    for (const child of childrenOf(node))
      visit(child, uses.find((one) => one.node === child)?.use, exported.get(constant))
  }
  visit(program)
  // A thread that the code starts by the name of a constant has its path where the constant is.
  for (const { path, use } of found.filter((one) => one.isConstant && one.use === 'run'))
    for (const one of found) if (one.literal && one.path === path && one.use === 'other') one.use = use
  return found
}

/** The part of an expression that has its path: `file` of `fileURLToPath(file.href)`. */
function sameAs(node: AnyNode): AnyNode {
  if (node.type === 'MemberExpression' && views.has(memberOf(node))) return sameAs(node.object)
  const [first] = node.type === 'CallExpression' && same.has(nameOf(node.callee)) ? node.arguments : []
  return first ? sameAs(first) : node
}

/** The arguments of a call that uses a file or a folder. */
function usesOf(node: AnyNode): readonly { node: AnyNode; use: PathBeside['use'] }[] {
  if (node.type === 'ImportExpression') return [{ node: node.source, use: 'run' }]
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return []
  const [first, second] = node.arguments
  if (!first) return []
  const name = nameOf(node.callee)
  const use = opening.test(name) ? useOfOpen(second) : useOf(name)
  const target = second && replacing.test(name) ? [{ node: second, use: 'written' as const }] : []
  if (use !== 'other') return [{ node: first, use }, ...target]
  if (asking.test(name) || same.has(name) || making.has(name)) return []
  return node.arguments.filter((one) => sameAs(one).type === 'Identifier').map((one) => ({ node: one, use: 'passed' }))
}

/** The use of the first argument of a function with this name. */
function useOf(name: string): PathBeside['use'] {
  if (running.has(name)) return 'run'
  if (listing.test(name)) return 'listed'
  if (reading.test(name)) return 'read'
  return writing.test(name) ? 'written' : 'other'
}

/** The use of a file that is opened with these flags. */
function useOfOpen(flags: Expression | SpreadElement | undefined): PathBeside['use'] {
  const reads = !flags || (flags.type === 'Literal' && /^rs?$/.test(String(flags.value)))
  return reads ? 'read' : 'written'
}

/** `join` of `join` and `path.join`. */
const nameOf = (node: AnyNode): string => (node.type === 'Identifier' ? node.name : memberOf(node))

/** The text in `new URL('…', import.meta.url)`, also within `fileURLToPath(…)` and before `.href`. */
function literalOf(
  node: AnyNode,
  source: string,
  placeOf: (node: AnyNode) => { line: number; column: number },
): PathBeside['literal'] {
  if (node.type === 'MemberExpression') return literalOf(node.object, source, placeOf)
  if (node.type === 'CallExpression' && node.arguments[0]) return literalOf(node.arguments[0], source, placeOf)
  if (node.type !== 'NewExpression' || nameOf(node.callee) !== 'URL') return undefined
  const [first, base] = node.arguments
  const text = textOf(first)
  if (text === undefined || !isOwnUrl(base)) return undefined
  const { line, column } = placeOf(node)
  const lineStart =
    source
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + (line > 1 ? 1 : 0)
  // With its quotes: a comment may have the text, too.
  const found = ["'", '"', '`'].map((quote) => source.indexOf(quote + text + quote, lineStart + column - 1))
  const start = Math.min(...found.filter((at) => at !== -1)) + 1
  return Number.isFinite(start) ? { start, end: start + text.length } : undefined
}

/** The text of an expression, if it is nothing else. */
function textOf(node: Expression | SpreadElement | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  return node?.type === 'TemplateLiteral' && node.expressions.length === 0
    ? (node.quasis[0]?.value.cooked ?? undefined)
    : undefined
}

const isOwnUrl = (node: Expression | SpreadElement | undefined): boolean =>
  node?.type === 'MemberExpression' && node.object.type === 'MetaProperty' && memberOf(node) === 'url'

/** Computes the values of expressions that depend only on constants and the location of the file. */
function evaluator(file: string, program: AnyNode): (node: Expression | SpreadElement) => Value | undefined {
  const constants = constantsOf(program)
  const known = new Map<AnyNode, Value | undefined>()
  const own = (name: string): Value | undefined => {
    if (name === 'url' || name === 'filename') return { kind: 'path', path: file, isPart: false }
    return name === 'dirname' ? { kind: 'path', path: dirname(file), isPart: false } : undefined
  }
  const valueOf = (node: Expression | SpreadElement): Value | undefined => {
    // A constant that depends on itself has no value.
    if (!known.has(node)) known.set(node, undefined).set(node, compute(node))
    return known.get(node)
  }
  const compute = (node: Expression | SpreadElement): Value | undefined => {
    if (node.type === 'Literal')
      return typeof node.value === 'string' ? { kind: 'text', text: node.value, isPart: false } : undefined
    if (node.type === 'TemplateLiteral') {
      let whole: Value | undefined = text('')
      node.quasis.forEach(({ value }, i) => {
        const expression = node.expressions[i]
        whole = concat(whole, text(value.cooked ?? ''))
        if (expression) whole = concat(whole, valueOf(expression))
      })
      return whole
    }
    if (node.type === 'BinaryExpression' && node.operator === '+' && node.left.type !== 'PrivateIdentifier')
      return concat(valueOf(node.left), valueOf(node.right))
    if (node.type === 'Identifier') {
      const constant = constants.get(node.name)
      if (constant === undefined)
        return isCommonJs(file) ? own(/^__(dirname|filename)$/.exec(node.name)?.[1] ?? '') : undefined
      return 'meta' in constant ? own(constant.meta) : valueOf(constant.init)
    }
    if (node.type === 'MemberExpression' && node.object.type !== 'Super') {
      if (node.object.type === 'MetaProperty') return own(memberOf(node))
      return views.has(memberOf(node)) ? valueOf(node.object) : undefined
    }
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined
    return callOf(node.callee as Expression, node.arguments)
  }
  const callOf = (callee: Expression, given: readonly (Expression | SpreadElement)[]): Value | undefined => {
    const [first, ...rest] = given.map(valueOf)
    const name = nameOf(callee)
    if (name === 'URL') {
      const [base] = rest
      if (given.length === 1) return first?.kind === 'path' ? first : undefined
      return base?.kind === 'path' && !base.isPart ? inFolder(dirname(base.path), [first], ofUrl) : undefined
    }
    if (first?.kind === 'path') {
      if (same.has(name)) return first
      if (name === 'dirname') return first.isPart ? undefined : { ...first, path: dirname(first.path) }
      if (name === 'join' || name === 'resolve') return first.isPart ? first : inFolder(first.path, rest)
      if (name === 'createRequire') return { kind: 'require', path: dirname(first.path) }
    }
    // `require('./x')`, `require.resolve('./x')`, `import.meta.resolve('./x')`
    const required = valueOf(
      memberOf(callee) === 'resolve' && 'object' in callee ? (callee.object as Expression) : callee,
    )
    const isMeta = callee.type === 'MemberExpression' && callee.object.type === 'MetaProperty' && name === 'resolve'
    const isOwn = isCommonJs(file) && isRequireResolve(callee) && !constants.has('require')
    const folder = isMeta || isOwn ? dirname(file) : required?.kind === 'require' ? required.path : undefined
    if (folder === undefined || first?.kind !== 'text' || !/^\.{1,2}\//.test(first.text)) return undefined
    const value = inFolder(folder, [first])
    return value?.kind === 'path' && !isMeta ? { ...value, isRequired: true } : value
  }
  return valueOf
}

/** `require.resolve` */
const isRequireResolve = (node: Expression): boolean =>
  node.type === 'MemberExpression' &&
  node.object.type === 'Identifier' &&
  node.object.name === 'require' &&
  memberOf(node) === 'resolve'

/** The exported names of a module's constants. */
function exportsOf(program: AnyNode): Map<string, string> {
  const exported = new Map<string, string>()
  for (const node of program.type === 'Program' ? program.body : []) {
    if (node.type !== 'ExportNamedDeclaration' || node.source) continue
    for (const { local, exported: name } of node.specifiers)
      if (local.type === 'Identifier' && name.type === 'Identifier') exported.set(local.name, name.name)
    if (node.declaration?.type !== 'VariableDeclaration') continue
    for (const { id } of node.declaration.declarations) if (id.type === 'Identifier') exported.set(id.name, id.name)
  }
  return exported
}

const text = (value: string): Value => ({ kind: 'text', text: value, isPart: false })

/** A path in a folder, up to the first part that is not known. */
function inFolder(
  folder: string,
  parts: readonly (Value | undefined)[],
  read = (one: string) => one,
): Value | undefined {
  let path = folder
  for (const part of parts) {
    if (part?.kind !== 'text') return { kind: 'path', path, isPart: true }
    // An address elsewhere, such as https://.
    if (/^[a-z][a-z+.-]+:/i.test(part.text)) return undefined
    // The last segment of a known beginning may go on.
    if (part.isPart)
      return {
        kind: 'path',
        path: resolve(path, read(`${part.text.slice(0, part.text.lastIndexOf('/') + 1)}.`)),
        isPart: true,
      }
    path = resolve(path, read(part.text))
  }
  return { kind: 'path', path, isPart: false }
}

/** The path of a relative URL. */
function ofUrl(url: string): string {
  try {
    return decodeURIComponent(url.replace(/[?#].*$/, ''))
  } catch {
    return url
  }
}

function concat(left: Value | undefined, right: Value | undefined): Value | undefined {
  if (left === undefined || left.kind === 'require' || left.isPart) return left?.kind === 'require' ? undefined : left
  if (left.kind === 'text') {
    if (left.text === '' && right?.kind === 'path') return right
    return right?.kind === 'text' ? { ...right, text: left.text + right.text } : { ...left, isPart: true }
  }
  const { raw, path } = left
  if (right?.kind !== 'text') {
    if (raw === undefined) return undefined
    return { kind: 'path', path: raw.endsWith('/') ? path : dirname(path), isPart: true }
  }
  if (right.text === '') return left
  // Otherwise it is not a path: `${import.meta.filename}: failed`.
  if (raw === undefined && !right.text.startsWith('/')) return undefined
  const more = (raw ?? path) + right.text
  return { kind: 'path', path: resolve(more), raw: more, isPart: right.isPart }
}

/** The initial values of variables whose names are declared once, and members of `import.meta` that have a name of their own. */
function constantsOf(program: AnyNode): Map<string, { init: Expression } | { meta: string }> {
  const constants = new Map<string, { init: Expression } | { meta: string }>()
  const declared = new Set<string>()
  const declare = (name: string, value: { init: Expression } | { meta: string }): void => {
    if (declared.has(name)) constants.delete(name)
    else constants.set(name, value)
    declared.add(name)
  }
  const visit = (node: AnyNode): void => {
    if (node.type === 'VariableDeclaration')
      for (const { id, init } of node.declarations) {
        if (!init) continue
        if (id.type === 'Identifier') declare(id.name, { init })
        if (id.type === 'ObjectPattern' && init.type === 'MetaProperty')
          for (const one of id.properties)
            if (one.type === 'Property' && one.key.type === 'Identifier' && one.value.type === 'Identifier')
              declare(one.value.name, { meta: one.key.name })
      }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return constants
}

/** Extensions of files that Node does not run everywhere. */
export const onlyCompiled = /\.(?:[cm]?tsx?|jsx)$/
/** Extensions of JavaScript. */
export const script = /\.[cm]?js$/

/** The module that a path refers to, as in `new Worker(new URL('../lib/sum.ts', import.meta.url))`. */
export function moduleBeside({ path, isPart, literal, use }: PathBeside): string | undefined {
  if (!literal || isPart || !isFile(path)) return undefined
  return onlyCompiled.test(path) || (use === 'run' && script.test(path)) ? path : undefined
}

/** A source in which the URLs of the modules that it refers to are replaced. */
export function withModules(
  source: string,
  paths: readonly PathBeside[],
  to: (module: string, text: string) => string,
): string {
  let text = source
  for (const one of paths.toReversed()) {
    const module = moduleBeside(one)
    if (module === undefined) continue
    const { start, end } = one.literal!
    text = text.slice(0, start) + to(module, source.slice(start, end)) + text.slice(end)
  }
  return text
}

/** The paths that a module computes; none if it does not ask for its location. */
export async function pathsOf(source: string, path: string): Promise<PathBeside[]> {
  if (!(isCommonJs(path) ? locationNames.test(source) : source.includes('import.meta'))) return []
  try {
    return await pathsBeside(source, path)
  } catch (error) {
    // The compilation reports a syntax error.
    if ((error as { errors?: unknown }).errors) return []
    throw error
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
