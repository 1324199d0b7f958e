// Reads syntax trees: those of acorn, and those that linters pass to rules.

import type { AnyNode } from 'acorn'

/** The name of a member or a field is not a reference. */
const names: ReadonlySet<string> = new Set(['property', 'key'])
/** Fields that linters add to the nodes. */
const notParts: ReadonlySet<string> = new Set(['parent', 'tokens', 'comments'])

/** The direct parts of a node. */
export function childrenOf(node: AnyNode): AnyNode[] {
  return Object.entries(node as unknown as Record<string, unknown>).flatMap(([field, value]) => {
    if (notParts.has(field) || (names.has(field) && !(node as { computed?: boolean }).computed)) return []
    return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isNode)
  })
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** `now` of `Date.now`; empty for other expressions. */
export const memberOf = (node: AnyNode): string =>
  node.type === 'MemberExpression' && node.property.type === 'Identifier' && !node.computed ? node.property.name : ''
