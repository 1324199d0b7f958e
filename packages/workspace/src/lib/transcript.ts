import type { Seen } from '@botwright/testing'
import { styleText } from 'node:util'

const INDENT = '  '
const NAME_WIDTH = 9

/** Shows mentions as names, like the page. */
const named = (text: string, names: ReadonlyMap<string, string>) =>
  text.replace(/<@([0-9a-f-]{36})>/gi, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole))

function embedLines(seen: Seen): string[] {
  return seen.embeds.flatMap((embed) => [
    ...(embed.title ? [styleText('bold', embed.title)] : []),
    ...(embed.fields ?? []).map((field) => `${field.name.padEnd(10)} ${field.value}`),
    ...(embed.footer ? [styleText('dim', embed.footer.text)] : []),
  ])
}

function buttonLine(seen: Seen): string[] {
  const labels = (seen.components ?? []).flatMap((row) =>
    row.components.map((button) => `[${button.label ?? button.emoji}]`),
  )
  return labels.length > 0 ? [styleText('cyan', labels.join(' '))] : []
}

/** The lines of one message, below the line that caused it. */
export function messageLines(seen: Seen, names: ReadonlyMap<string, string>): string[] {
  const lines = [...(seen.content ? [seen.content] : []), ...embedLines(seen), ...buttonLine(seen)]
  const onlyYou = seen.ephemeral ? styleText('dim', ' (only the clicker sees this)') : ''
  return lines.map((line, i) => {
    const bar = styleText('magenta', i === 0 ? 'bot' : '   ')
    return `${INDENT}${''.padEnd(NAME_WIDTH)}${bar}  ${named(line, names)}${i === 0 ? onlyYou : ''}`
  })
}

/** The line of a person's action. */
export const actionLine = (who: string, what: string) => `${INDENT}${styleText('green', who.padEnd(NAME_WIDTH))}${what}`
