// Finds calls of the context whose promise nothing awaits: the handler ends before them, and their errors are lost.

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
/** Calls that handle the promise before them. */
const handled: ReadonlySet<string> = new Set(['then', 'catch', 'finally'])

/** The calls of `ctx` that are statements of their own. `void ctx.reply()` is on purpose. */
export function unawaitedFindings(program: AnyNode): Finding[] {
  const found: Finding[] = []
  const visit = (node: AnyNode): void => {
    if (node.type === 'ExpressionStatement') {
      const call = callOf(node.expression)
      const name = call && promiseOf(call)
      if (call && name !== undefined)
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

/** The call that a statement ends with: `ready && ctx.reply()`. */
function callOf(node: AnyNode): AnyNode | undefined {
  if (node.type === 'ChainExpression') return callOf(node.expression)
  if (node.type === 'LogicalExpression') return callOf(node.right)
  return node.type === 'CallExpression' ? node : undefined
}

/** `ctx.reply` for a call that returns a promise. */
function promiseOf(call: AnyNode): string | undefined {
  const names: string[] = []
  let at = call
  while (at.type === 'CallExpression' || at.type === 'MemberExpression') {
    if (at.type === 'MemberExpression') names.unshift(memberOf(at))
    at = at.type === 'CallExpression' ? at.callee : at.object
  }
  const [first = '', ...rest] = names
  if (at.type !== 'Identifier' || at.name !== 'ctx' || handled.has(names.at(-1) ?? '')) return undefined
  const isPromise = rest.length === 0 ? promised.has(first) : areas.has(first)
  return isPromise ? `ctx.${names.join('.')}` : undefined
}
