import type { Chat } from '../chat.ts'
import type { BotRow, UserRow } from '../db/rows.ts'
import { emit } from '../emit.ts'
import { type Handlers, ok } from '../handlers.ts'
import type { PeopleEndpoints } from '../people-contract/index.ts'
import type { OwnedBot } from '../people-resources.ts'
import { notFound, Refusal } from '../refusal.ts'
import { removeMember, serversOf } from '../store/servers.ts'
import { findBot, findUser, findUserByName, insertUser, profileView, setProfile } from '../store/users.ts'
import { hashToken, newToken } from '../tokens.ts'
import { botLimit } from './servers.ts'

function ownedBot(chat: Chat, bot: BotRow): OwnedBot {
  const { id, username, display_name, bio, avatar_url, created_at } = profileView(findUser(chat, bot.user_id)!)
  return {
    id,
    username,
    display_name,
    bio,
    avatar_url,
    public: bot.public === 1,
    owner_id: bot.owner_id,
    event_webhook_url: bot.webhook_url,
    commands: JSON.parse(bot.commands) as OwnedBot['commands'],
    presence: chat.presences.of(id),
    review: { state: bot.review_state, reason: bot.review_reason },
    created_at,
  }
}

/** An own bot; whose bot it is stays hidden from others. */
function requireOwn(chat: Chat, actor: UserRow, id: string): BotRow {
  const bot = findBot(chat, id)
  if (!bot || bot.owner_id !== actor.id) throw notFound('bot')
  return bot
}

export function insertBot(chat: Chat, ownerId: string, user: UserRow, token: string): void {
  chat.sql.run('INSERT INTO bots (user_id, owner_id, token_hash) VALUES (?, ?, ?)', user.id, ownerId, hashToken(token))
}

/** The Developer screen. */
export const bots: Handlers<PeopleEndpoints>['bots'] = {
  list: ({ chat, actor }) => ({
    bots: chat.sql
      .all<BotRow>('SELECT * FROM bots WHERE owner_id = ? ORDER BY rowid', actor.id)
      .map((bot) => ownedBot(chat, bot)),
  }),
  create({ chat, actor, body }) {
    const { count } = chat.sql.get<{ count: number }>(
      'SELECT count(*) AS count FROM bots WHERE owner_id = ?',
      actor.id,
    )!
    if (count >= botLimit(actor)) throw new Refusal(403, `not allowed: at most ${botLimit(actor)} bots`)
    if (findUserByName(chat, body.username)) throw new Refusal(400, 'username: is taken')
    const user = insertUser(chat, { username: body.username, bot: true })
    setProfile(chat, user.id, body)
    const token = newToken()
    insertBot(chat, actor.id, user, token)
    return { bot: ownedBot(chat, findBot(chat, user.id)!), token }
  },
  update({ chat, actor, params, body }) {
    const bot = requireOwn(chat, actor, params.bot_id)
    setProfile(chat, bot.user_id, body)
    return { bot: ownedBot(chat, bot) }
  },
  delete({ chat, actor, params }) {
    const bot = requireOwn(chat, actor, params.bot_id)
    const user = findUser(chat, bot.user_id)!
    for (const server of serversOf(chat, user.id)) removeMember(chat, server.id, user)
    chat.sql.run('DELETE FROM users WHERE id = ?', user.id)
    return ok
  },
  newToken({ chat, actor, params }) {
    const bot = requireOwn(chat, actor, params.bot_id)
    const token = newToken()
    chat.sql.run('UPDATE bots SET token_hash = ? WHERE user_id = ?', hashToken(token), bot.user_id)
    chat.afterCommit.push(() => chat.feed.wake(bot.user_id))
    return { token }
  },
  setEventWebhook({ chat, actor, params, body }) {
    const bot = requireOwn(chat, actor, params.bot_id)
    if (body.url !== null && !chat.deliveries.accepts(body.url)) {
      throw new Refusal(400, 'url: must be a public https address')
    }
    const secret = body.url === null ? null : (bot.webhook_secret ?? newToken())
    chat.sql.run('UPDATE bots SET webhook_url = ?, webhook_secret = ? WHERE user_id = ?', body.url, secret, bot.user_id)
    return { secret }
  },
  newEventWebhookSecret({ chat, actor, params }) {
    const bot = requireOwn(chat, actor, params.bot_id)
    if (bot.webhook_url === null) throw new Refusal(400, 'the bot has no event webhook: set its url first')
    const secret = newToken()
    chat.sql.run('UPDATE bots SET webhook_secret = ? WHERE user_id = ?', secret, bot.user_id)
    return { secret }
  },
  testEvent({ chat, actor, params }) {
    const bot = requireOwn(chat, actor, params.bot_id)
    emit(chat, bot.user_id, 'test', { channel_id: null, server_id: null })
    return ok
  },
}
