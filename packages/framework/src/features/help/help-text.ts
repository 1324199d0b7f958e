import { characters, cut, limits } from '@botwright/protocol/facts'
import { didYouMean } from '../../author/did-you-mean.ts'
import type { ArgHelp, Definition } from '../../author/files/entries.ts'
import { createTexts } from '../../bot/bot-texts.ts'
import { phrase, rules as joined } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'
import {
  type CommandRoute,
  commandRoutes,
  findCommand,
  isShown,
  routeOf,
  shownWords,
} from '../../bot/commands/routes.ts'
import type { CommandContext } from '../../author/context.ts'
import { servicesOf } from '../../bot/services.ts'

type Route = CommandRoute<{ entry: Definition }>

const LONGEST_LINE = 300

/** Translates the framework's words. */
type Say = (words: Words) => string

interface HelpOptions {
  prefix?: string
  topic?: string
}

/**
 * The text of `/help`: all commands, or one of them (`topic`: `poll`, `role add`), or a page of it (`2`, `role 2`).
 * A text for one message (§2: 2000 characters), in English or in `language`.
 */
export function helpText(
  commands: readonly Definition[],
  { language = 'en', ...options }: HelpOptions & { language?: string } = {},
): string {
  const texts = createTexts()
  return helpIn((words) => texts.in(language, words), commands, options)
}

/** The same with the texts of `say`. */
function helpIn(say: Say, commands: readonly Definition[], { prefix = '/', topic = '' }: HelpOptions): string {
  const root: Route = commandRoutes(commands.filter(({ kind }) => kind === 'command').map((entry) => ({ entry })))
  const { route, rest } = findCommand(root, topic.trim().replace(/^[/!](?=\S)/, ''))
  const page = /^\d{1,3}$/.test(rest) ? Number(rest) : rest === '' ? 1 : undefined
  if (page === undefined || (route !== root && !isShown(route))) return unknown(say, route, prefix, rest)
  const lines = route === root ? listOf(say, root, prefix) : detailsOf(say, route, prefix)
  return pageOf(say, lines, page, `${prefix}help${route === root ? '' : ` ${route.name}`}`)
}

function unknown(say: Say, route: Route, prefix: string, rest: string): string {
  const word = /^\S+/.exec(rest)?.[0] ?? ''
  const near = didYouMean(word, shownWords(route))
  const fact = phrase('help.unknown')
  const proposal = `\`${prefix}help ${`${route.name} ${near}`.trim()}\``
  const first = near === undefined ? [fact, '.'] : phrase('did_you_mean', { fact, near: proposal })
  return say([first, '\n', phrase('help.all', { help: `${prefix}help` })])
}

/** Files under `commands/(fun)/` are grouped under that name. */
function listOf(say: Say, root: Route, prefix: string): string[] {
  const groups = new Map<string, string[]>()
  for (const word of shownWords(root)) {
    const route = routeOf(root, word)!
    const group = capital(say(groupOf(route)))
    groups.set(group, [...(groups.get(group) ?? []), rowOf(say, route, prefix)])
  }
  if (groups.size === 0) return [say(phrase('help.no_commands'))]
  // In German, "Übersicht" is next to U.
  const sorted = [...groups].sort(([a], [b]) => a.localeCompare(b, 'en'))
  const lines = sorted.flatMap(([group, rows]) => [...(group === '' ? [] : [`**${group}**`]), ...rows])
  return [...lines, say(phrase('help.more', { help: `${prefix}help` }))]
}

function groupOf({ handler, words }: Route): string {
  const entry = handler?.entry ?? [...words.values()].map((route) => route.handler?.entry).find(Boolean)
  return /commands\/\(([^)/]+)\)\//.exec(entry?.file ?? '')?.[1] ?? ''
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function rowOf(say: Say, route: Route, prefix: string): string {
  const { name, handler } = route
  const shown = handler && !handler.entry.hidden ? say(handler.entry.description ?? '') : undefined
  const below = shownWords(route)
  const also = below.length === 0 ? '' : `${shown === undefined ? '' : ' · '}${below.join(', ')}`
  return `\`${prefix}${name}\` ${shown ?? ''}${also}`
}

function detailsOf(say: Say, route: Route, prefix: string): string[] {
  const { name, handler, words } = route
  const command = `${prefix}${name}`
  const below = shownWords(route).map((word) => rowOf(say, words.get(word)!, prefix))
  if (!handler || handler.entry.hidden) return [`\`${command}\``, ...below]
  const { description = '', aliases = [], help } = handler.entry
  const rules = say(joined(help?.rules ?? [], 'list'))
  const parent = name.split(' ').slice(0, -1)
  const called = aliases.map((alias) => `\`${prefix}${[...parent, alias].join(' ')}\``)
  return [
    `\`${`${command} ${say(help?.usage ?? '')}`.trim()}\``,
    say(description),
    ...(rules === '' ? [] : [`${capital(rules)}.`]),
    ...(help?.args ?? []).map((arg) => argLine(say, arg)),
    ...(help?.examples ?? []).map((example) =>
      say(phrase('help.example', { example: `${command} ${say(example)}`.trim() })),
    ),
    ...(called.length > 0 ? [say(phrase('help.also', { names: called.join(', ') }))] : []),
    ...below,
  ]
}

function argLine(say: Say, arg: ArgHelp): string {
  const { name, expects, about } = arg
  return `\`${say(name)}\` ${about === undefined ? '' : `${say(about)}: `}${say(expects)}${say(whenLeftOut(arg))}`
}

/** Flags are optional by nature, so that is not mentioned. */
function whenLeftOut({ name, default: value, optional }: ArgHelp): Words {
  if (value !== undefined) return phrase('help.default', { value })
  return optional && !name.startsWith('--') ? phrase('help.optional') : ''
}

/** The lines of one page, which always fits one message. */
function pageOf(say: Say, lines: readonly string[], page: number, command: string): string {
  const foot = (at: number, pages: number) => {
    const text = phrase('help.page', { page: at, pages })
    return say(at < pages ? phrase('help.next_page', { page: text, command: `${command} ${at + 1}` }) : text)
  }
  const room = limits.message_content.characters - characters(foot(998, 999)) - 1
  const pages: string[] = []
  let text = ''
  for (const line of lines) {
    const next = cut(line, LONGEST_LINE)
    if (text !== '' && characters(text) + 1 + characters(next) > room) {
      pages.push(text)
      text = next
    } else text = text === '' ? next : `${text}\n${next}`
  }
  pages.push(text)
  const at = Math.min(Math.max(page, 1), pages.length)
  return pages.length === 1 ? text : `${pages[at - 1]}\n${foot(at, pages.length)}`
}

// `/help` and `/help NAME`, generated from the declarations.
export async function runHelp(ctx: CommandContext): Promise<string> {
  const { texts } = servicesOf(ctx)
  const language = await texts.languageOf(ctx)
  return helpIn((words) => texts.in(language, words), ctx.commands, { prefix: ctx.prefix, topic: ctx.typed })
}
