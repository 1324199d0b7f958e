// Finds connections and timers that a file opens when it loads: each reload and each new worker opens another one, and nothing closes it.

import type { AnyNode } from 'acorn'
import { childrenOf, memberOf } from '../compile/tree.ts'
import type { Finding } from './finding.ts'

/** Classes of widely used packages, and of Node, whose instances hold a connection, a file or a thread. */
const classes: ReadonlySet<string> = new Set([
  ...['Client', 'Database', 'DatabaseSync', 'MongoClient', 'Pool', 'PrismaClient', 'Redis', 'Sequelize', 'Kysely'],
  ...['Queue', 'QueueEvents', 'WebSocket', 'EventSource', 'Worker', 'DataSource'],
])
/** Functions that return such a thing, or start a timer. */
const functions: ReadonlySet<string> = new Set([
  ...[
    'createClient',
    'createConnection',
    'createPool',
    'createServer',
    'connect',
    'listen',
    'knex',
    'postgres',
    'drizzle',
  ],
  ...['setInterval', 'watch'],
])

/** Finds the calls in a file outside `resources/`. A handler of `ready` runs once, so all its calls count. */
export function resourceFindings(program: AnyNode, file: string): Finding[] {
  if (/(?:^|[/\\])resources[/\\]/.test(file)) return []
  const isReady = /(?:^|[/\\])events[/\\]ready\.[cm]?[jt]sx?$/.test(file)
  const found: Finding[] = []
  const visit = (node: AnyNode): void => {
    if (!isReady && isLater(node)) return
    const name = openedBy(node)
    if (name !== undefined) {
      found.push({
        node,
        message: `${name} opens something that no reload and no new worker closes; open it in a resource, a file under resources/`,
      })
      return
    }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return found
}

/** Whether its code does not run while the file loads: that of a function, and the field of an instance. */
const isLater = (node: AnyNode): boolean =>
  node.type === 'FunctionDeclaration' ||
  node.type === 'FunctionExpression' ||
  node.type === 'ArrowFunctionExpression' ||
  (node.type === 'PropertyDefinition' && !node.static)

/** `new Pool()`, or `createClient()`. */
function openedBy(node: AnyNode): string | undefined {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined
  const { callee } = node
  const name = callee.type === 'Identifier' ? callee.name : memberOf(callee)
  const isOpen = node.type === 'NewExpression' ? classes.has(name) : functions.has(name)
  return isOpen ? `${node.type === 'NewExpression' ? 'new ' : ''}${name}()` : undefined
}
