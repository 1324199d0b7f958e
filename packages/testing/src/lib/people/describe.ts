import { buttonsOf, type BotActions, faceOf, type Seen } from './seen.ts'

/** A message in one line: its text, its cards, its buttons. */
export function describeMessage(message: Pick<Seen, 'content' | 'embeds' | 'components'>): string {
  const cards = message.embeds.map((embed) => {
    const parts = [
      embed.title,
      embed.description,
      ...(embed.fields ?? []).map(({ name, value }) => `${name}: ${value}`),
    ]
    const text = [...parts, embed.footer?.text].filter((part) => part !== undefined && part !== '').join(' · ')
    return `card(${text})`
  })
  const buttons = buttonsOf(message).map((button) => `[${faceOf(button)}]`)
  return [...(message.content === '' ? [] : [`"${message.content}"`]), ...cards, ...buttons].join(' ') || '(empty)'
}

/** The bot's actions, one line each. */
export function describeDeeds({
  shown,
  reactions,
  deleted,
  click,
}: { [K in keyof BotActions]: BotActions[K] | undefined }): string {
  const gone = deleted?.length ?? 0
  const lines = [
    ...(shown ?? []).map(({ how, message }) => {
      const to = message.ephemeral ? ' to the clicker alone' : message.server_id === null ? ' by direct message' : ''
      return `${how === 'reply' ? 'replied' : 'edited to'}${to} ${describeMessage(message)}`
    }),
    ...(reactions ?? []).map(({ emoji }) => `reacted with ${emoji}`),
    ...(gone > 0 ? [`deleted ${gone} message${gone === 1 ? '' : 's'}`] : []),
  ]
  if (lines.length === 0) {
    if (click === 'answered') return 'the bot only acknowledged the click'
    if (click === 'failed') return 'the click failed: the bot did not answer within 3 seconds'
    if (click === 'waiting') return 'the click is not answered yet'
    return 'the bot did nothing'
  }
  return lines.length === 1 ? `the bot ${lines[0]}` : `the bot\n  ${lines.join('\n  ')}`
}
