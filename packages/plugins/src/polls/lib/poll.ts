import { type ActionRow, embed, type Message, type MessageCreate } from '@botwright/framework'
import type { SayInPoll } from './texts.ts'

/** A question and its choices. They are stored in the message of the poll, so that a restart or another instance loses nothing. */
export interface Poll {
  question: string
  authorId: string
  choices: readonly string[]
}

/** The index of the choice of each voter. */
export type Votes = Readonly<Record<string, number>>

const BAR = 10
/** Names of voters in all choices together: an embed has 6,000 characters (§8), and a mention has 39. */
const MOST_NAMES = 100
const MOST_NAMES_OF_CHOICE = 20

/** The message of a poll. Without rows of buttons, it is closed. */
export function show(
  { question, authorId, choices }: Poll,
  { votes, say, color, components }: { votes: Votes; say: SayInPoll; color: `#${string}`; components: ActionRow[] },
): Pick<MessageCreate, 'embeds' | 'components'> {
  const total = Object.keys(votes).length
  const most = Math.min(MOST_NAMES_OF_CHOICE, Math.floor(MOST_NAMES / choices.length))
  const fields = choices.map((name, choice) => {
    const voters = Object.keys(votes).filter((id) => votes[id] === choice)
    const share = total === 0 ? 0 : Math.round((voters.length / total) * BAR)
    const bar = '▰'.repeat(share) + '▱'.repeat(BAR - share)
    const names = voters.slice(0, most).map((id) => `<@${id}>`)
    const more = voters.length > most ? [say('more', { count: voters.length - most })] : []
    return { name, value: [`${bar} ${voters.length}`, ...names, ...more].join(' ') }
  })
  const counted = say(total === 1 ? 'vote' : 'votes', { count: total })
  const isClosed = components.length === 0
  const card = embed({
    title: question,
    description: say('asked', { author: `<@${authorId}>` }),
    color: isClosed ? '#8a8f98' : color,
    fields,
    footer: { text: isClosed ? say('closed', { votes: counted }) : counted },
  })
  return { embeds: [card], components }
}

/** Reads an open poll back from its message; undefined if it is closed, or not a poll. */
export function read({ embeds: [shown], components }: Pick<Message, 'embeds' | 'components'>): Poll | undefined {
  const authorId = /<@([0-9a-f-]{36})>/i.exec(shown?.description ?? '')?.[1]
  if (!shown?.title || !shown.fields || !authorId || components.length === 0) return undefined
  return { question: shown.title, authorId, choices: shown.fields.map(({ name }) => name) }
}
