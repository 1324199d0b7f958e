import { byName, memberName } from './names.ts'
import { findEmoji, loadEmoji } from './emoji.ts'
import { dm, view, views } from './store.ts'
import { showError } from './toasts.tsx'

export type Suggestion = { insert: string; label: string; detail: string; from: string }
export type Completion = { start: number; end: number; suggestions: Suggestion[] }

/** The registered commands of the bots in this channel. */
export function commandsHere(): { name: string; description: string; bot: string }[] {
  const other = dm.value?.user.id
  const bots = other === undefined ? (view.value?.bots ?? []) : Object.values(views.value).flatMap((each) => each.bots)
  const here = bots.filter((each, index) =>
    other === undefined ? true : each.id === other && bots.findIndex((one) => one.id === other) === index,
  )
  return here.flatMap((bot) => bot.commands.map((command) => ({ ...command, bot: memberName(bot) })))
}

const starts = (query: string, ...names: (string | null)[]): boolean =>
  names.some((each) => each?.toLowerCase().startsWith(query.toLowerCase()) ?? false)

/** A shorter `:name` is often a smiley or a time. */
const shortestName = 2

function suggest(sign: string, query: string): Suggestion[] {
  if (sign === ':') {
    if (query.length < shortestName) return []
    // The suggestions appear as soon as the emoji are loaded.
    loadEmoji().catch(showError)
    return findEmoji(query, 20).map(({ emoji, names }) => ({
      insert: `${emoji} `,
      label: emoji,
      detail: `:${names[0]}:`,
      from: '',
    }))
  }
  if (sign === '@') {
    return (view.value?.members ?? [])
      .filter((each) => starts(query, each.username, each.nickname, each.display_name))
      .map((each) => ({
        insert: `@${each.username} `,
        label: memberName(each),
        detail: each.bot ? 'bot' : `@${each.username}`,
        from: '',
      }))
  }
  if (sign === '#') {
    return (view.value?.channels ?? [])
      .filter((each) => each.type === 'text' && starts(query, each.name))
      .map((each) => ({ insert: `#${each.name} `, label: `#${each.name}`, detail: '', from: '' }))
  }
  return commandsHere()
    .filter((each) => starts(query, each.name))
    .sort((a, b) => byName(a.name, b.name))
    .map((each) => ({
      insert: `${sign}${each.name} `,
      label: `${sign}${each.name}`,
      detail: each.description,
      from: each.bot,
    }))
}

/** Completions for the word at the cursor: a command at the start of the text (§2, Command), a member, a channel, an emoji. */
export function complete(text: string, cursor: number): Completion | undefined {
  const found = /^([/!])([a-z0-9_-]*)$|(?:^|\s)([@#:])([^\s@#:<>]{0,32})$/i.exec(text.slice(0, cursor))
  if (!found) return undefined
  const sign = found[1] ?? found[3] ?? ''
  const query = found[2] ?? found[4] ?? ''
  const suggestions = suggest(sign, query).slice(0, 8)
  // Nothing to complete: Enter sends the message.
  if (suggestions.length === 0 || suggestions.every((each) => each.insert.trim() === sign + query)) return undefined
  return { start: cursor - query.length - 1, end: cursor, suggestions }
}
