import { characters, cut, limits } from '@botwright/protocol/facts'
import { didYouMean } from '../entry-name.ts'
import { rulesText } from '../guards/rules-text.ts'
import { byText } from '../manifest.ts'
import type { ArgHelp, Definition } from '../ports.ts'
import { type CommandRoute, commandRoutes, findCommand, isShown, routeOf, shownWords } from './routes.ts'

type Route = CommandRoute<{ entry: Definition }>

const LONGEST_LINE = 300

/**
 * What `/help` tells: all commands, or one of them (`topic`: `poll`, `role add`), a page of it when it is long (`2`, `role 2`).
 * A text for one message (§2: 2000 characters).
 */
export function helpText(
  commands: readonly Definition[],
  { prefix = '/', topic = '' }: { prefix?: string; topic?: string } = {},
): string {
  const root: Route = commandRoutes(commands.filter(({ kind }) => kind === 'command').map((entry) => ({ entry })))
  const { route, rest } = findCommand(root, topic.trim().replace(/^[/!](?=\S)/, ''))
  const page = /^\d{1,3}$/.test(rest) ? Number(rest) : rest === '' ? 1 : undefined
  if (page === undefined || (route !== root && !isShown(route))) return unknown(route, prefix, rest)
  const lines = route === root ? listOf(root, prefix) : detailsOf(route, prefix)
  return pageOf(lines, page, `${prefix}help${route === root ? '' : ` ${route.name}`}`)
}

function unknown(route: Route, prefix: string, rest: string): string {
  const word = /^\S+/.exec(rest)?.[0] ?? ''
  const near = didYouMean(word, shownWords(route))
  const proposal = near === undefined ? '' : `; did you mean \`${prefix}help ${`${route.name} ${near}`.trim()}\`?`
  return `There is no such command${proposal}\n\`${prefix}help\` lists all commands.`
}

/** Files under `commands/(fun)/` stand together under their group's name. */
function listOf(root: Route, prefix: string): string[] {
  const groups = new Map<string, string[]>()
  for (const word of shownWords(root)) {
    const route = routeOf(root, word)!
    const group = groupOf(route)
    groups.set(group, [...(groups.get(group) ?? []), rowOf(route, prefix)])
  }
  if (groups.size === 0) return ['This bot has no commands.']
  const sorted = [...groups].sort(([a], [b]) => byText(a, b))
  const lines = sorted.flatMap(([group, rows]) => [...(group === '' ? [] : [`**${capital(group)}**`]), ...rows])
  return [...lines, `\`${prefix}help NAME\` tells more of one.`]
}

function groupOf({ handler, words }: Route): string {
  const entry = handler?.entry ?? [...words.values()].map((route) => route.handler?.entry).find(Boolean)
  return /commands\/\(([^)/]+)\)\//.exec(entry?.file ?? '')?.[1] ?? ''
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function rowOf(route: Route, prefix: string): string {
  const { name, handler } = route
  const shown = handler && !handler.entry.hidden ? handler.entry.description : undefined
  const below = shownWords(route)
  const also = below.length === 0 ? '' : `${shown === undefined ? '' : ' · '}${below.join(', ')}`
  return `\`${prefix}${name}\` ${shown ?? ''}${also}`
}

function detailsOf(route: Route, prefix: string): string[] {
  const { name, handler, words } = route
  const command = `${prefix}${name}`
  const below = shownWords(route).map((word) => rowOf(words.get(word)!, prefix))
  if (!handler || handler.entry.hidden) return [`\`${command}\``, ...below]
  const { description = '', aliases = [], help } = handler.entry
  const rules = rulesText(help?.rules ?? [])
  const parent = name.split(' ').slice(0, -1)
  const called = aliases.map((alias) => `\`${prefix}${[...parent, alias].join(' ')}\``)
  return [
    `\`${`${command} ${help?.usage ?? ''}`.trim()}\``,
    description,
    ...(rules === '' ? [] : [`${capital(rules)}.`]),
    ...(help?.args ?? []).map(argLine),
    ...(help?.examples ?? []).map((example) => `Example: \`${`${command} ${example}`.trim()}\``),
    ...(called.length > 0 ? [`Also: ${called.join(', ')}`] : []),
    ...below,
  ]
}

function argLine(arg: ArgHelp): string {
  const { name, expects, about } = arg
  return `\`${name}\` ${about === undefined ? '' : `${about}: `}${expects}${whenLeftOut(arg)}`
}

/** Flags are left out by their nature: that is no news. */
function whenLeftOut({ name, default: shown, optional }: ArgHelp): string {
  if (shown !== undefined) return ` (${shown} if left out)`
  return optional && !name.startsWith('--') ? ' (may be left out)' : ''
}

/** The lines of one page. A page is never longer than a message may be. */
function pageOf(lines: readonly string[], page: number, command: string): string {
  const foot = (at: number, all: number) =>
    `Page ${at} of ${all}${at < all ? `: \`${command} ${at + 1}\` goes on` : ''}`
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
