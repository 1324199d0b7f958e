import { embed, row } from '@botwright/framework'
import type { Embed, MessageCreate } from '@botwright/protocol'
import close from '../buttons/close.ts'
import vote from '../buttons/vote.ts'

/**
 * A poll lives in its own message: one field for each choice, with the voters as mentions. Clicks on one message are handled
 * in order, so reading the message, counting and updating it needs no lock and no database, and survives any restart.
 */
export interface Poll {
  question: string
  authorId: string
  closed: boolean
  choices: { name: string; voters: string[] }[]
}

const BAR = 10
const mention = /<@([0-9a-f-]{36})>/gi

/** The message that shows a poll. */
export function show(poll: Poll): Pick<MessageCreate, 'embeds' | 'components'> {
  const total = poll.choices.reduce((sum, choice) => sum + choice.voters.length, 0)
  const fields = poll.choices.map(({ name, voters }) => {
    const share = total === 0 ? 0 : Math.round((voters.length / total) * BAR)
    const bar = '▰'.repeat(share) + '▱'.repeat(BAR - share)
    return { name, value: [`${bar} ${voters.length}`, ...voters.map((id) => `<@${id}>`)].join(' ') }
  })
  const votes = `${total} ${total === 1 ? 'vote' : 'votes'}`
  const buttons = poll.choices.map(({ name }, choice) => vote.button({ choice }, { label: name, style: 'primary' }))
  return {
    embeds: [
      embed({
        title: poll.question,
        description: `asked by <@${poll.authorId}>`,
        color: poll.closed ? '#8a8f98' : '#5e6ad2',
        fields,
        footer: { text: poll.closed ? `closed · ${votes}` : votes },
      }),
    ],
    components: poll.closed
      ? []
      : [
          ...[buttons.slice(0, 5), buttons.slice(5)].filter((part) => part.length > 0).map((part) => row(...part)),
          row(close.button({ author: poll.authorId }, { label: 'Close', style: 'secondary' })),
        ],
  }
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
