import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedCall } from '@botwright/framework/replay'
import type { ClickState } from '@botwright/service/people'
import type { Action } from './actions.ts'
import type { PersonAtService } from './person.ts'
import { openStream, type StreamedEvent } from './stream.ts'

const LOOK_MS = 50
/** The answers of a bot follow each other faster. */
const QUIET_MS = 1000

/** Does something as a person, and collects what the person then sees of bots, until they are quiet or the time is over. */
export async function watchAnswers(
  person: PersonAtService,
  run: () => Promise<Action>,
  waitMs: number,
): Promise<{ action: Action; answers: RecordedCall[]; state: ClickState | undefined }> {
  const answers: RecordedCall[] = []
  const bots = new Set((await person.servers()).flatMap(({ bots: all }) => all.map(({ id }) => id)))
  let state: ClickState | undefined
  let lastMs = performance.now()
  const take = (event: StreamedEvent) => {
    if (event.type === 'click') state = event.data.state
    const answer = answerIn(event, bots)
    if (!answer) return
    answers.push({ ...answer, ms: 0 })
    lastMs = performance.now()
  }
  const stream = new AbortController()
  await openStream(person, take, stream.signal)
  try {
    const action = await run()
    const endMs = performance.now() + waitMs
    const isOver = () => (answers.length > 0 && performance.now() - lastMs > QUIET_MS) || state === 'failed'
    while (performance.now() < endMs && !isOver()) await sleep(LOOK_MS)
    return { action, answers, state }
  } finally {
    stream.abort()
  }
}

/** An act of a bot, as the call that it made. */
function answerIn({ type, data }: StreamedEvent, bots: ReadonlySet<string>): Omit<RecordedCall, 'ms'> | undefined {
  switch (type) {
    case 'message_create':
    case 'message_update': {
      if (!data.author.bot) return undefined
      const { id, channel_id, reply_to_id, content, embeds, components } = data.message
      const own = { content, ...(embeds.length > 0 && { embeds }), ...(components.length > 0 && { components }) }
      if (type === 'message_update') return { name: 'messages.update', input: { channel_id, message_id: id, ...own } }
      const reply = reply_to_id !== null && { reply_to: reply_to_id }
      return { name: 'messages.create', created: id, input: { channel_id, ...reply, ...own } }
    }
    case 'reaction_add': {
      const { channel_id, message_id, emoji, user_id } = data
      return bots.has(user_id) ? { name: 'reactions.add', input: { channel_id, message_id, emoji } } : undefined
    }
    case 'ephemeral': {
      const { interaction_id, message } = data
      const { content, embeds } = message
      const own = { type: 'ephemeral', content, ...(embeds.length > 0 && { embeds }) }
      return { name: 'interactions.callback', input: { interaction_id, ...own } }
    }
    default:
      return undefined
  }
}
