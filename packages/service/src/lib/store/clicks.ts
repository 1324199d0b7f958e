import { type ActionRow, type Callback, limits } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import { iso } from '../iso-time.ts'
import { checkContent, checkPictures } from '../rules/content-rules.ts'
import type { ChannelRow, InteractionRow, MessageRow, UserRow } from '../db/rows.ts'
import { emit } from './emit.ts'
import { runLogged } from '../failures.ts'
import type { ClickAnswer, ClickState, Ephemeral } from '../people-api/resources.ts'
import { requireNoTimeout } from './posting.ts'
import { notFound, Refusal } from '../refusal.ts'
import { canSee, findChannel } from './access.ts'
import { editMessage, findMessage, insertMessage, messageView } from './messages.ts'
import { notify } from './notify.ts'
import { hashToken, newId, newToken } from '../tokens.ts'

const OPEN_MS = limits.interaction.open_seconds * 1000
const ANSWER_MS = limits.interaction.answer_seconds * 1000

interface AnswerRow {
  type: ClickAnswer['type']
  message_id: string | null
  ephemeral: string | null
  created_at: number
}

const answersOf = (chat: Chat, id: string) =>
  chat.sql.all<AnswerRow>('SELECT * FROM answers WHERE interaction_id = ? ORDER BY seq', id)

const stateOf = (chat: Chat, click: InteractionRow, answers: number): ClickState =>
  answers > 0 ? 'answered' : chat.clock.now() >= click.created_at + ANSWER_MS ? 'failed' : 'waiting'

const changeOf = ({ id, message_id, custom_id, channel_id, server_id }: InteractionRow, state: ClickState) => ({
  ...{ interaction_id: id, message_id, custom_id, channel_id, server_id },
  state,
})

const notifyState = (chat: Chat, click: InteractionRow, state: ClickState): void =>
  notify(chat, click.user_id, 'click', changeOf(click, state))

/** Handles a person's click: creates the interaction and its event (§3, Interaction lifecycle). */
export function click(chat: Chat, person: UserRow, channel: ChannelRow, message: MessageRow, customId: string): string {
  const rows = JSON.parse(message.components) as ActionRow[]
  const button = rows.flatMap((row) => row.components).find((each) => each.custom_id === customId)
  if (!button) throw new Refusal(400, 'custom_id: no button of this message has it (link buttons cannot be clicked)')
  if (button.disabled) throw new Refusal(400, 'custom_id: this button is disabled')
  const now = chat.clock.now()
  const token = newToken()
  const found: InteractionRow = {
    id: newId(),
    token_hash: hashToken(token),
    bot_id: message.author_id,
    user_id: person.id,
    custom_id: customId,
    message_id: message.id,
    channel_id: channel.id,
    server_id: channel.server_id,
    created_at: now,
  }
  chat.sql.run(
    `INSERT INTO interactions (id, token_hash, bot_id, user_id, custom_id, message_id, channel_id, server_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...(Object.values(found) as string[]),
  )
  // A bot that can no longer see the channel gets no events from it (§1): the click fails.
  if (canSee(chat, channel, message.author_id)) {
    const data = {
      id: found.id,
      token,
      type: 'button',
      custom_id: customId,
      message_id: message.id,
      channel_id: channel.id,
      server_id: channel.server_id,
      user_id: person.id,
      username: person.username,
      expires_at: iso(now + OPEN_MS),
    } as const
    emit(chat, 'interaction', data, [{ botId: message.author_id }])
  }
  notifyState(chat, found, 'waiting')
  const expire = () => {
    // Without a transaction, which fails while another program locks the data file.
    if (!chat.closed && answersOf(chat, found.id).length === 0)
      chat.stream.send(found.user_id, 'click', changeOf(found, 'failed'))
  }
  // Start the timer after the commit, so that a rollback leaves none behind.
  chat.afterCommit.push(() => chat.clock.after(ANSWER_MS, () => runLogged('the end of a click', expire)))
  return found.id
}

/** A click as the clicker sees it: its state and the answers so far. */
export function clickView(chat: Chat, person: UserRow, id: string): { state: ClickState; answers: ClickAnswer[] } {
  const found = chat.sql.get<InteractionRow>('SELECT * FROM interactions WHERE id = ? AND user_id = ?', id, person.id)
  if (!found) throw notFound('click')
  const channel = findChannel(chat, found.channel_id)!
  // The clicker may have lost access to the channel since.
  const sees = canSee(chat, channel, person.id)
  const rows = answersOf(chat, id)
  const answers = rows.map((row): ClickAnswer => {
    const message =
      sees && row.message_id
        ? chat.sql.get<MessageRow>('SELECT * FROM messages WHERE id = ?', row.message_id)
        : undefined
    return {
      type: row.type,
      ...(message && { message: messageView(chat, message, channel, person.id) }),
      ...(row.ephemeral !== null && { ephemeral: JSON.parse(row.ephemeral) as Ephemeral }),
      at: iso(row.created_at),
    }
  })
  return { state: stateOf(chat, found, rows.length), answers }
}

interface Answered {
  interaction: InteractionRow
  /** The bot that answers. */
  actor: UserRow
  channel: ChannelRow
  body: Callback
}

/**
 * Handles the bot's answer to a click (§4, Callback). Returns the message that it created or changed. Throws if the click has expired or
 * has all its answers (decisions rows 22, 23).
 */
export function answer(chat: Chat, { interaction: found, actor: bot, channel, body }: Answered) {
  if (chat.clock.now() >= found.created_at + OPEN_MS) {
    throw new Refusal(404, 'the interaction has expired: it is open for 15 minutes after the click')
  }
  if (answersOf(chat, found.id).length >= limits.interaction.answers) {
    throw new Refusal(429, `the interaction already has ${limits.interaction.answers} answers`)
  }
  if (body.type === 'reply' || body.type === 'update') requireNoTimeout(chat, channel, bot.id)
  const now = chat.clock.now()
  let message: MessageRow | undefined
  let ephemeral: Ephemeral | undefined
  if (body.type === 'reply') message = insertMessage(chat, channel, bot, { ...body, components: body.components })
  if (body.type === 'update') {
    message = editMessage(chat, channel, findMessage(chat, channel.id, found.message_id), body)
  }
  if (body.type === 'ephemeral') {
    checkPictures(chat, body.embeds ?? [])
    checkContent(chat, bot, { content: body.content, embeds: body.embeds })
    ephemeral = {
      id: newId(),
      channel_id: channel.id,
      author_id: bot.id,
      author: bot.username,
      content: body.content ?? '',
      embeds: body.embeds ?? [],
      created_at: iso(now),
    }
    notify(chat, found.user_id, 'ephemeral', {
      interaction_id: found.id,
      channel_id: channel.id,
      server_id: channel.server_id,
      message: ephemeral,
    })
  }
  chat.sql.run(
    'INSERT INTO answers (interaction_id, type, message_id, ephemeral, created_at) VALUES (?, ?, ?, ?, ?)',
    found.id,
    body.type,
    message?.id ?? null,
    ephemeral ? JSON.stringify(ephemeral) : null,
    now,
  )
  notifyState(chat, found, 'answered')
  return message && messageView(chat, message, channel, bot.id)
}
