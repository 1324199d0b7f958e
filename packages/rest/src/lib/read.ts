import type { Route } from '@botwright/protocol/facts'
import { Unreadable } from './retry.ts'
import type { Answer } from './connection/exchange.ts'

/** The JSON value of a body; undefined if the body is empty. */
export function json(text: string): unknown {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (bare === '' || bare.trim() === '') return undefined
  try {
    return JSON.parse(bare)
  } catch {
    // The parser's own error quotes the body, so drop it.
    throw new Unreadable(bare.trimStart().startsWith('<') ? 'a page of HTML' : 'a body that is not JSON')
  }
}

/**
 * Reads an endpoint's 2xx responses leniently (decisions rows 1, 6, 7, 12): checks no schema, keeps unknown fields, and
 * accepts objects wrapped or bare and lists bare. The result always has the form of the local service.
 */
export function readerOf({
  method,
  variant,
  list,
  ok,
}: Pick<Route, 'method' | 'variant' | 'list' | 'ok'>): (answer: Answer) => unknown {
  const empty = ok ? { ok } : {}
  return ({ text }) => {
    const value = json(text)
    if (value === undefined) {
      if (method === 'GET') throw new Unreadable('an empty body')
      return { ...empty }
    }
    if (Array.isArray(value) && list !== undefined) return { [list]: value }
    if (typeof value !== 'object' || value === null) {
      if (method === 'GET') throw new Unreadable('a body that is not an object')
      return { ...empty }
    }
    return variant === undefined ? value : normalised(value as Record<string, unknown>, variant)
  }
}

function normalised(value: Record<string, unknown>, { key, here }: NonNullable<Route['variant']>): unknown {
  const inner = value[key]
  const wrapped = typeof inner === 'object' && inner !== null && !('id' in value)
  if (here === 'bare') return wrapped ? inner : value
  return wrapped ? value : { [key]: value }
}
