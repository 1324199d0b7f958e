import { embed } from '@botwright/framework'
import type { ActionRow, Embed, MessageCreate } from '@botwright/protocol'

/**
 * A poll is stored in its own message: one field per choice, with the voters as mentions. Clicks on one message are handled
 * in order, so reading, counting and updating the message requires no lock and no database and survives any restart.
 */
export interface Poll {
  question: string
  authorId: string
  closed: boolean
  choices: { name: string; voters: string[] }[]
}

const BAR = 10
const mention = /<@([0-9a-f-]{36})>/gi

/** The message of a poll, with the given rows of buttons. */
export function show(poll: Poll, components: ActionRow[] = []): Pick<MessageCreate, 'embeds' | 'components'> {
  const total = poll.choices.reduce((sum, choice) => sum + choice.voters.length, 0)
  const fields = poll.choices.map(({ name, voters }) => {
    const share = total === 0 ? 0 : Math.round((voters.length / total) * BAR)
    const bar = '▰'.repeat(share) + '▱'.repeat(BAR - share)
    return { name, value: [`${bar} ${voters.length}`, ...voters.map((id) => `<@${id}>`)].join(' ') }
  })
  const votes = `${total} ${total === 1 ? 'vote' : 'votes'}`
  const card = embed({
    title: poll.question,
    description: `asked by <@${poll.authorId}>`,
    color: poll.closed ? '#8a8f98' : '#5e6ad2',
    fields,
    footer: { text: poll.closed ? `closed · ${votes}` : votes },
  })
  return { embeds: [card], components }
}

/** Reads a poll back from the embed that shows it. */
export function read(shown: Embed | undefined): Poll | undefined {
  const authorId = shown?.description?.match(/<@([0-9a-f-]{36})>/i)?.[1]
  if (!shown?.title || !shown.fields || !authorId) return undefined
  return {
    question: shown.title,
    authorId,
    closed: shown.footer?.text.startsWith('closed') ?? false,
    choices: shown.fields.map(({ name, value }) => ({
      name,
      voters: [...value.matchAll(mention)].map((found) => found[1] ?? ''),
    })),
  }
}
