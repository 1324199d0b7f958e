import { type AnyNode, type ImportDeclaration, type ObjectExpression, parse, type Program, type Property } from 'acorn'
import { keyText, LINE, literal } from './literal.ts'

/** A plugin to mount. */
export interface Mount {
  /** `@acme/kudos`. */
  specifier: string
  /** Its name in the bot, below `plugins`: `well-done`. */
  name: string
  /** The name of its import: `wellDone`. */
  local: string
  options: Readonly<Record<string, unknown>> | undefined
}

/** The new text of a configuration, or the reason why it stays as it is. */
export type ConfigEdit = { text: string } | { mounted: string } | { reason: string }

/** The lines that mount a plugin, for an author who edits the configuration by hand. */
export const linesOf = ({ specifier, name, local, options }: Mount): [string, string] => [
  `import ${local} from '${specifier}'`,
  `plugins: { ${keyText(name)}: ${callOf(local, options)} }`,
]

/** The text of a configuration that only mounts this plugin. */
export const newConfig = ({ specifier, name, local, options }: Mount): string =>
  [
    "import { defineConfig } from '@botwright/framework'",
    `import ${local} from '${specifier}'`,
    '',
    'export default defineConfig({',
    `  ${pluginsOf((indent) => `${keyText(name)}: ${callOf(local, options, indent)}`, '  ')},`,
    '})',
    '',
  ].join('\n')

const callOf = (local: string, options: Mount['options'], indent = ''): string =>
  `${local}(${options === undefined ? '' : literal(options, indent, local.length + 16)})`

/** The field `plugins` with one entry, which is on a line of its own if it has several. */
function pluginsOf(entry: (indent: string) => string, indent: string, breakLine = '\n'): string {
  const text = entry(indent)
  if (!text.includes('\n')) return `plugins: { ${text} }`
  return `plugins: {${breakLine}${indent}  ${entry(`${indent}  `)},${breakLine}${indent}}`
}

/**
 * Mounts a plugin in the source of a configuration: its import after the others, its entry after the other plugins. Comments and formatting
 * stay. Code of another form than `export default defineConfig({ … })` stays as it is.
 */
export function addToConfig(source: string, mount: Mount): ConfigEdit {
  const program = parsed(source)
  if (typeof program === 'string') return { reason: program }
  const config = configObject(program)
  if (typeof config === 'string') return { reason: config }
  const imported = localName(program, mount.specifier)
  const plugins = propertyOf(config, 'plugins')
  // A later object, and a computed key, may set them as well.
  const later = config.properties.slice(plugins ? config.properties.indexOf(plugins) : 0)
  if (later.some((one) => one.type === 'SpreadElement' || one.computed))
    return { reason: 'its plugins may come from another object' }
  if (plugins !== undefined && plugins.value.type !== 'ObjectExpression')
    return { reason: '"plugins" is not written as an object' }
  const mounts = plugins?.value as ObjectExpression | undefined
  const mounted = mounts && imported !== undefined ? mountOf(mounts, imported) : undefined
  if (mounted !== undefined) return { mounted }
  const taken = mounts && propertyOf(mounts, mount.name)
  if (taken) return { reason: `it has another plugin with the name "${mount.name}"` }
  const local = imported ?? freeName(source, mount.local)
  const entry = (indent: string) =>
    `${keyText(mount.name)}: ${callOf(local, mount.options, indent).replaceAll('\n', newline(source))}`
  const edit = mounts
    ? insertion(source, mounts, entry)
    : insertion(source, config, (indent) => pluginsOf(entry, indent, newline(source)))
  const edits = imported === undefined ? [importEdit(source, program, local, mount.specifier), ...edit] : edit
  const text = applied(source, edits)
  return isMounted(text, mount) ? { text } : { reason: 'a comment or an unusual layout is in the way' }
}

function parsed(source: string): Program | string {
  try {
    return parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
  } catch (error) {
    return `it has code that is not plain JavaScript (${(error as Error).message})`
  }
}

/** The object that a configuration exports: itself, in `defineConfig(…)`, or as a constant of the file. */
function configObject(program: Program): ObjectExpression | string {
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration')
  let value = (exported as { declaration?: AnyNode } | undefined)?.declaration
  if (value?.type === 'Identifier') value = constantOf(program, value.name)
  const define = localName(program, '@botwright/framework', 'defineConfig')
  if (value?.type === 'CallExpression' && value.callee.type === 'Identifier' && value.callee.name === define)
    value = value.arguments[0]
  if (value?.type === 'Identifier') value = constantOf(program, value.name)
  return value?.type === 'ObjectExpression' ? value : 'it does not export defineConfig({ … })'
}

const constantOf = (program: Program, name: string): AnyNode | undefined =>
  program.body
    .flatMap((node) => (node.type === 'VariableDeclaration' && node.kind === 'const' ? node.declarations : []))
    .find(({ id }) => id.type === 'Identifier' && id.name === name)?.init ?? undefined

const keyOf = ({ key, computed }: Property): string | undefined =>
  computed ? undefined : key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined

const propertyOf = ({ properties }: ObjectExpression, name: string): Property | undefined =>
  properties.find((one): one is Property => one.type === 'Property' && keyOf(one) === name)

/** The name that an import has in this file. */
function localName({ body }: Program, specifier: string, exported = 'default'): string | undefined {
  const all = body.flatMap((node) =>
    node.type === 'ImportDeclaration' && node.source.value === specifier ? node.specifiers : [],
  )
  return all.find((one) => exportedName(one) === exported)?.local.name
}

/** The name that an imported value has in its module; undefined for all values of it. */
function exportedName(one: ImportDeclaration['specifiers'][number]): string | undefined {
  if (one.type === 'ImportDefaultSpecifier') return 'default'
  if (one.type === 'ImportNamespaceSpecifier') return undefined
  return one.imported.type === 'Identifier' ? one.imported.name : String(one.imported.value)
}

/** The name under which an imported plugin is mounted. */
const mountOf = ({ properties }: ObjectExpression, local: string): string | undefined =>
  properties.flatMap((one) => {
    if (one.type !== 'Property' || one.value.type !== 'CallExpression') return []
    const { callee } = one.value
    return callee.type === 'Identifier' && callee.name === local ? [keyOf(one) ?? local] : []
  })[0]

function freeName(source: string, name: string): string {
  const words = new Set(source.match(/[\w$]+/g))
  let free = name
  for (let n = 1; words.has(free); n++) free = `${name}Plugin${n === 1 ? '' : n}`
  return free
}

interface Edit {
  at: number
  /** The end of the text that it replaces; without it, it inserts. */
  end?: number
  text: string
}

const applied = (source: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, end = at, text: more }) => text.slice(0, at) + more + text.slice(end), source)

const newline = (source: string): string => (source.includes('\r\n') ? '\r\n' : '\n')

/** After the other imports, with their quotes, and the semicolons of the file. */
function importEdit(source: string, { body }: Program, local: string, specifier: string): Edit {
  const last = body.filter(({ type }) => type === 'ImportDeclaration').at(-1)
  const written = last ? source.slice(last.start, last.end) : ''
  const quote = /["']/.exec(written)?.[0] ?? "'"
  const line = `import ${local} from ${quote}${specifier}${quote}${source[(last ?? body.at(-1))!.end - 1] === ';' ? ';' : ''}`
  return last
    ? { at: last.end, text: `${newline(source)}${line}` }
    : { at: body[0]?.start ?? 0, text: `${line}${newline(source)}${newline(source)}` }
}

/** Adds a property at the end of an object: on a line of its own, unless the object is written on one line and still fits into it. */
function insertion(source: string, object: ObjectExpression, property: (indent: string) => string): Edit[] {
  const end = object.end - 1
  const last = object.properties.at(-1)
  const isOneLine = !source.slice(last?.end ?? object.start, end).includes('\n')
  const lineStart = (at: number) => source.slice(source.lastIndexOf('\n', at - 1) + 1, at)
  const indentAt = (at: number) => /^\s*/.exec(lineStart(at))![0]
  if (isOneLine) {
    const indent = indentAt(object.start)
    const text = property(indent)
    const lines = text.includes('\n') || lineOf(source, object).length + text.length > LINE
    if (lines && mayBreak(source, object)) {
      const inner = `${indent}  `
      const all = [...object.properties.map((one) => source.slice(one.start, one.end)), property(inner)]
      const broken = all.map((one) => `${newline(source)}${inner}${one},`).join('')
      return [{ at: object.start, end: object.end, text: `{${broken}${newline(source)}${indent}}` }]
    }
    if (!last)
      return [{ at: end, text: source.slice(object.start + 1, end).trim() === '' ? ` ${text} ` : `, ${text} ` }]
    const comma = /^\s*,/.exec(source.slice(last.end, end))
    return [{ at: last.end + (comma?.[0].length ?? 0), text: `${comma ? '' : ','} ${text}${comma ? ',' : ''}` }]
  }
  const breakLine = newline(source)
  if (!last) {
    const indent = `${indentAt(object.start)}  `
    return [{ at: source.lastIndexOf('\n', end) + 1, text: `${indent}${property(indent)},${breakLine}` }]
  }
  const indent = indentAt(last.start)
  const comma = /^\s*,/.exec(source.slice(last.end, end))
  const after = last.end + (comma?.[0].length ?? 0)
  const lineEnd = source.slice(after, end).search(/\r?\n/) + after
  const entry = { at: lineEnd, text: `${breakLine}${indent}${property(indent)},` }
  return comma ? [entry] : [{ at: last.end, text: ',' }, entry]
}

/** The line that an object begins on. */
const lineOf = (source: string, { start }: ObjectExpression): string =>
  source.slice(source.lastIndexOf('\n', start) + 1).split(/\r?\n/, 1)[0]!

/** Whether an object is on one line, and has nothing but properties: no comments between them. */
function mayBreak(source: string, { start, end, properties }: ObjectExpression): boolean {
  if (source.slice(start, end).includes('\n')) return false
  const starts = [...properties.map((one) => one.start), end - 1]
  const ends = [start + 1, ...properties.map((one) => one.end)]
  return starts.every((at, i) => /^[\s,]*$/.test(source.slice(ends[i], at)))
}

/** Whether the new text mounts the plugin: an insertion into a comment would not. */
function isMounted(text: string, { specifier, name }: Mount): boolean {
  const program = parsed(text)
  const config = typeof program === 'string' ? program : configObject(program)
  if (typeof program === 'string' || typeof config === 'string') return false
  const plugins = propertyOf(config, 'plugins')?.value
  const local = localName(program, specifier)
  return plugins?.type === 'ObjectExpression' && local !== undefined && mountOf(plugins, local) === name
}
