// Finds calls of the context, of states and of tasks whose promise nothing awaits: the handler ends before them, and their errors are lost.

import type { AnyNode } from 'acorn'
import { childrenOf, memberOf } from '../compile/tree.ts'
import type { Finding } from './finding.ts'

/** The members of a handler's context that return a promise. */
export const promised: ReadonlySet<string> = new Set([
  ...[
    'reply',
    'update',
    'ephemeral',
    'ack',
    'react',
    'ask',
    'choose',
    'clicked',
    'stream',
    'send',
    'dm',
    'edit',
    'delete',
  ],
  ...[
    'purge',
    'broadcast',
    'budget',
    'once',
    'schedule',
    'scheduled',
    'unschedule',
    'step',
    'sleep',
    'approve',
    'continueAs',
  ],
])
/** Members whose own members return promises: `ctx.api.messages.send()`. */
const areas: ReadonlySet<string> = new Set(['api', 'state', 'cooldown'])
/** `hugs.of(ctx)` and `tickets.at(ctx, key)` are stored values. */
const cells: ReadonlySet<string> = new Set(['of', 'at'])
/** The members of a stored value, which all return a promise. */
export const ofCell: ReadonlySet<string> = new Set(['get', 'set', 'update', 'updateWith', 'delete'])
/** Calls that handle the promise before them. */
const handled: ReadonlySet<string> = new Set(['then', 'catch', 'finally'])

/** The calls that are statements of their own. `void ctx.reply()` is on purpose. */
export function unawaitedFindings(program: AnyNode): Finding[] {
  const found: Finding[] = []
  const visit = (node: AnyNode): void => {
    for (const call of node.type === 'ExpressionStatement' ? callsOf(node.expression) : []) {
      const name = promiseOf(call)
      if (name !== undefined)
        found.push({
          node: call,
          message: `nothing waits for ${name}(): write await before it, or void if the handler may end first`,
        })
    }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return found
}

/** The calls that a statement may end with: `ready && ctx.reply()`. */
function callsOf(node: AnyNode): AnyNode[] {
  if (node.type === 'ChainExpression') return callsOf(node.expression)
  if (node.type === 'LogicalExpression') return callsOf(node.right)
  if (node.type === 'ConditionalExpression') return [...callsOf(node.consequent), ...callsOf(node.alternate)]
  return node.type === 'CallExpression' ? [node] : []
}

/** `ctx.reply`, `hugs.of(ctx).update` or `nag.schedule` for a call that returns a promise. */
function promiseOf(call: AnyNode): string | undefined {
  const names: string[] = []
  /** The members that are called with `ctx`. */
  const ofContext: string[] = []
  let at = call
  while (at.type === 'CallExpression' || at.type === 'MemberExpression') {
    if (at.type === 'CallExpression' && isContext(at.arguments[0])) ofContext.unshift(memberOf(at.callee))
    if (at.type === 'MemberExpression') names.unshift(memberOf(at))
    at = at.type === 'CallExpression' ? at.callee : at.object
  }
  const last = names.at(-1) ?? ''
  if (at.type !== 'Identifier' || handled.has(last)) return undefined
  if (isContext(at)) {
    const [first = '', ...rest] = names
    return (rest.length === 0 ? promised.has(first) : areas.has(first)) ? `ctx.${names.join('.')}` : undefined
  }
  const [taking] = ofContext
  if (taking === undefined || ofContext.length > 1) return undefined
  const isOfCell = cells.has(taking) && names.at(-2) === taking && ofCell.has(last)
  const isOfTask = taking === 'schedule' && last === taking
  if (!isOfCell && !isOfTask) return undefined
  return [at.name, ...names.map((name) => (isOfCell && name === taking ? `${name}(ctx)` : name))].join('.')
}

const isContext = (node: AnyNode | undefined): boolean => node?.type === 'Identifier' && node.name === 'ctx'
