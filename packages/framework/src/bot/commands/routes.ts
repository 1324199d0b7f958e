import { trimUnseen } from '@botwright/protocol/typed-text'
import { didYouMean } from '../../author/did-you-mean.ts'
import { byText } from '../../author/files/manifest.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { NearSubcommand } from '@botwright/protocol/timeline'
import { phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'

/** The commands that begin with the same words: the command with this name and its subcommands. */
export interface CommandRoute<H extends { readonly entry: Definition }> {
  /** The words of the command: `role add`. */
  readonly name: string
  handler?: H
  readonly words: Map<string, CommandRoute<H>>
  /** Aliases for the keys of `words`. */
  readonly aliases: Map<string, CommandRoute<H>>
}

const emptyRoute = <H extends { readonly entry: Definition }>(name: string): CommandRoute<H> => ({
  name,
  words: new Map(),
  aliases: new Map(),
})

/** Handlers by the words of their commands. */
export function commandRoutes<H extends { readonly entry: Definition }>(handlers: readonly H[]): CommandRoute<H> {
  const root = emptyRoute<H>('')
  for (const handler of handlers) {
    let at = root
    let above = root
    for (const word of handler.entry.name.split(' ')) {
      let next = at.words.get(word)
      if (!next) at.words.set(word, (next = emptyRoute(`${at.name} ${word}`.trimStart())))
      above = at
      at = next
    }
    at.handler = handler
    for (const alias of handler.entry.aliases ?? []) above.aliases.set(alias, at)
  }
  return root
}

/** The route for one word. */
export const routeOf = <H extends { readonly entry: Definition }>(
  { words, aliases }: CommandRoute<H>,
  word: string,
): CommandRoute<H> | undefined => words.get(word) ?? aliases.get(word)

/** The command with the most matching words, and the text after them. */
export function findCommand<H extends { readonly entry: Definition }>(
  first: CommandRoute<H>,
  typed: string,
): { route: CommandRoute<H>; rest: string } {
  let route = first
  let rest = typed.trim()
  while (route.words.size > 0) {
    const word = /^\S+/.exec(rest)?.[0]
    const next =
      word === undefined ? undefined : (routeOf(route, word) ?? routeOf(route, trimUnseen(word).toLowerCase()))
    if (!next || word === undefined) break
    route = next
    rest = rest.slice(word.length).trimStart()
  }
  return { route, rest }
}

/** Whether `/help` lists a command or one of its subcommands. */
export const isShown = <H extends { readonly entry: Definition }>({ handler, words }: CommandRoute<H>): boolean =>
  (handler !== undefined && !handler.entry.hidden) || [...words.values()].some(isShown)

/** The subcommand words that `/help` lists, sorted. */
export const shownWords = <H extends { readonly entry: Definition }>({ words }: CommandRoute<H>): string[] =>
  [...words]
    .filter(([, route]) => isShown(route))
    .map(([word]) => word)
    .sort(byText)

/** The subcommand that was probably meant by the first word after a command that runs by itself. `rest` is the text after the command. */
export function nearSubcommand<H extends { readonly entry: Definition }>(
  route: CommandRoute<H>,
  rest: string,
): NearSubcommand | undefined {
  const word = route.words.size === 0 ? undefined : /^\S+/.exec(rest)?.[0]
  if (word === undefined) return undefined
  const subcommands = shownWords(route)
  const near = didYouMean(word, subcommands)
  return near === undefined ? undefined : { command: route.name, near, subcommands }
}

/** The reply to a folder name without a valid subcommand. `rest` is the text after the folder's words. */
export function subcommandMissing<H extends { readonly entry: Definition }>(
  route: CommandRoute<H>,
  prefix: string,
  rest: string,
): Words {
  const known = shownWords(route)
  const word = /^\S+/.exec(rest)?.[0]
  const near = word === undefined ? undefined : didYouMean(word, known)
  const command = `${prefix}${route.name}`
  const unknown = phrase('args.subcommand_unknown')
  const fact = near === undefined ? unknown : phrase('did_you_mean', { fact: unknown, near: `${command} ${near}` })
  const words = [word === undefined ? phrase('args.subcommand_missing', { command }) : fact]
  if (known.length === 0) return words
  return [...words, '\n', phrase('args.usage', { usage: known.map((one) => `${command} ${one}`).join(', ') })]
}
