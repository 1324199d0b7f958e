// Finds code in durable handlers that acts differently, or again, when the handler runs again.

import type { AnyNode } from 'acorn'
import { childrenOf, memberOf } from '../compile/tree.ts'
import type { Finding } from './finding.ts'

const replacements: Readonly<Record<string, string>> = {
  'Date()': 'use ctx.now()',
  'new Date()': 'use new Date(ctx.now())',
  'Date.now()': 'use ctx.now()',
  'performance.now()': 'use ctx.now()',
  'Math.random()': 'use ctx.random()',
  'crypto.randomUUID()': 'use ctx.uuid()',
  'randomUUID()': 'use ctx.uuid()',
  'fetch()': 'put it into ctx.step',
  'setTimeout()': 'use ctx.sleep',
  'setInterval()': 'use ctx.sleep',
  'setImmediate()': 'use ctx.sleep',
}

/** Members of ctx that run a function once, and record its result. */
const recorded: ReadonlySet<string> = new Set(['step', 'once'])

/** The calls that the default export of a durable handler reaches within its file, except in `ctx.step`. */
export function durableFindings(program: AnyNode): Finding[] {
  const found: Finding[] = []
  const declared = new Map<string, AnyNode>()
  const visited = new Set<AnyNode>()
  for (const one of bodyOf(program)) declare(one, declared)
  const visit = (node: AnyNode): void => {
    if (visited.has(node)) return
    visited.add(node)
    const name = unsafeName(node)
    if (name !== undefined)
      found.push({
        node,
        message: `${name} differs, or acts again, when the durable handler runs again; ${replacements[name]}`,
      })
    if (node.type === 'Identifier' && declared.has(node.name)) visit(declared.get(node.name)!)
    if (node.type === 'CallExpression' && recorded.has(memberOf(node.callee))) return visit(node.callee)
    for (const child of childrenOf(node)) visit(child)
  }
  for (const one of defaultsOf(program, declared)) visit(one)
  return found.toSorted((a, b) => a.node.start - b.node.start)
}

const bodyOf = (program: AnyNode): AnyNode[] => (program as { body?: AnyNode[] }).body ?? []

/** The default export, which may have a name: `export default vote`, `export { vote as default }`. */
function defaultsOf(program: AnyNode, declared: ReadonlyMap<string, AnyNode>): AnyNode[] {
  const named = (node: AnyNode): AnyNode => (node.type === 'Identifier' && declared.get(node.name)) || node
  return bodyOf(program).flatMap((one) => {
    if (one.type === 'ExportDefaultDeclaration') return [named(one.declaration)]
    if (one.type !== 'ExportNamedDeclaration' || one.source) return []
    return one.specifiers.flatMap(({ local, exported }) =>
      exported.type === 'Identifier' && exported.name === 'default' ? [named(local)] : [],
    )
  })
}

/** The functions and values at the top of the file, by their names. */
function declare(node: AnyNode, declared: Map<string, AnyNode>): void {
  if (node.type === 'ExportNamedDeclaration' && node.declaration) declare(node.declaration, declared)
  if (node.type === 'FunctionDeclaration' && node.id) declared.set(node.id.name, node.body)
  if (node.type === 'VariableDeclaration')
    for (const { id, init } of node.declarations) if (id.type === 'Identifier' && init) declared.set(id.name, init)
}

/** `Date.now()` for such a call; undefined for a harmless node. */
function unsafeName(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined
  if (node.type === 'NewExpression' && node.arguments.length > 0) return undefined
  const name = `${node.type === 'NewExpression' ? 'new ' : ''}${nameOf(node.callee)}()`
  return Object.hasOwn(replacements, name) ? name : undefined
}

/** `Date.now`; empty for other expressions. */
function nameOf(node: AnyNode): string {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return ''
  const { name } = node.object
  return name === 'globalThis' ? memberOf(node) : `${name}.${memberOf(node)}`
}

/** Whether the default export declares `durable: true`, or the file exports it. */
export function isDurable(program: AnyNode): boolean {
  const declared = new Map<string, AnyNode>()
  for (const one of bodyOf(program)) declare(one, declared)
  const isExported = bodyOf(program).some(
    (one) =>
      one.type === 'ExportNamedDeclaration' &&
      one.declaration?.type === 'VariableDeclaration' &&
      one.declaration.declarations.some(
        ({ id, init }) => id.type === 'Identifier' && id.name === 'durable' && isTrue(init),
      ),
  )
  return isExported || defaultsOf(program, declared).some(declaresDurable)
}

/** `command({ durable: true, … })`. */
const declaresDurable = (node: AnyNode): boolean =>
  node.type === 'CallExpression' &&
  node.arguments.some(
    (argument) =>
      argument.type === 'ObjectExpression' &&
      argument.properties.some(
        (each) =>
          each.type === 'Property' &&
          each.key.type === 'Identifier' &&
          each.key.name === 'durable' &&
          isTrue(each.value),
      ),
  )

const isTrue = (node: AnyNode | null | undefined): boolean => node?.type === 'Literal' && node.value === true
