import { byText } from './manifest.ts'
import type { Handler } from './handler.ts'

/** The commands that begin with the same word: one of that name, and those behind it. */
export interface CommandRoute {
  handler?: Handler
  words: Map<string, CommandRoute>
}

/** Handlers by the words of their commands. */
export function commandRoutes(handlers: readonly Handler[]): CommandRoute {
  const root: CommandRoute = { words: new Map() }
  for (const handler of handlers) {
    let at = root
    for (const word of handler.entry.name.split(' ')) {
      let next = at.words.get(word)
      if (!next) at.words.set(word, (next = { words: new Map() }))
      at = next
    }
    at.handler = handler
  }
  return root
}

/** The command with the most words that fit, and the text behind them. */
export function findCommand(first: CommandRoute, typed: string): { route: CommandRoute; rest: string } {
  let route = first
  let rest = typed.trim()
  while (route.words.size > 0) {
    const word = /^\S+/.exec(rest)?.[0]
    const next = word === undefined ? undefined : (route.words.get(word) ?? route.words.get(word.toLowerCase()))
    if (!next || word === undefined) break
    route = next
    rest = rest.slice(word.length).trimStart()
  }
  return { route, rest }
}

/** What can be typed behind a command that does nothing by itself. */
export function subcommands(route: CommandRoute, command: string): string {
  const lines = [...route.words.keys()].sort(byText).map((word) => `${command} ${word}`)
  return `Usage: ${lines.join(', ')}`
}
