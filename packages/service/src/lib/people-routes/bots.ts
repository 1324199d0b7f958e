import { limits } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { BotRow } from '../db/rows.ts'
import { checkContent } from '../rules/content-rules.ts'
import { emit } from '../store/emit.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import type { OwnedBot } from '../people-api/resources.ts'
import { Refusal } from '../refusal.ts'
import { deleteDms } from '../store/channels.ts'
import { notify } from '../store/notify.ts'
import { insertBot } from '../store/own-bots.ts'
import { removeMember, serversOf } from '../store/servers.ts'
import { setPicture } from '../store/uploads.ts'
import { findBot, findUser, findUserByName, insertUser, profileView, setProfile } from '../store/users.ts'
import { hashToken, newToken } from '../tokens.ts'

function ownedBot(chat: Chat, bot: BotRow): OwnedBot {
  const { id, username, display_name, bio, avatar_url, banner_url, created_at } = profileView(
    findUser(chat, bot.user_id)!,
  )
  return {
    id,
    username,
    display_name,
    bio,
    avatar_url,
    banner_url,
    public: bot.public === 1,
    owner_id: bot.owner_id,
    event_webhook_url: bot.webhook_url,
    commands: JSON.parse(bot.commands) as OwnedBot['commands'],
    presence: chat.presences.of(id),
    review: { state: bot.review_state, reason: bot.review_reason },
    created_at,
  }
}

/** A replaced token stops working right away, also for waiting polls (§5.3). */
const endPolls = (chat: Chat, botId: string, why: string) =>
  chat.afterCommit.push(
    () => chat.feed.refuse(botId, new Refusal(401, `wrong token: ${why}`)),
    () => chat.clockFollowers.forget(botId),
    () => chat.replays.forget(botId),
  )

/** Handlers of the Developer screen. */
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
    const most = limits.bots_per_person[actor.tier]
    if (count >= most) throw new Refusal(403, `not allowed: you can have at most ${most} bots`)
    if (findUserByName(chat, body.username)) throw new Refusal(400, 'username: is already taken')
    // The bot does not exist yet, so violations count for its owner.
    checkContent(chat, actor, body)
    const user = insertUser(chat, { username: body.username, bot: true })
    setProfile(chat, user.id, body)
    const token = newToken()
    insertBot(chat, actor.id, user, token)
    return { bot: ownedBot(chat, findBot(chat, user.id)!), token }
  },
  update({ chat, bot, body }) {
    setProfile(chat, bot.user_id, body)
    return { bot: ownedBot(chat, bot) }
  },
  setAvatar: ({ chat, bot, file }) => ({
    ...ok,
    avatar_url: setPicture(chat, bot.user_id, 'avatar', file),
  }),
  removeAvatar({ chat, bot }) {
    setPicture(chat, bot.user_id, 'avatar', null)
    return ok
  },
  setBanner: ({ chat, bot, file }) => ({
    ...ok,
    banner_url: setPicture(chat, bot.user_id, 'banner', file),
  }),
  removeBanner({ chat, bot }) {
    setPicture(chat, bot.user_id, 'banner', null)
    return ok
  },
  delete({ chat, bot }) {
    const user = findUser(chat, bot.user_id)!
    for (const server of serversOf(chat, user.id)) removeMember(chat, server.id, user)
    deleteDms(chat, user.id)
    for (const viewer of chat.stream.listeners()) {
      notify(chat, viewer, 'user_delete', { channel_id: null, server_id: null, user_id: user.id })
    }
    chat.sql.run('DELETE FROM users WHERE id = ?', user.id)
    endPolls(chat, user.id, 'the bot is deleted')
    return ok
  },
  newToken({ chat, bot }) {
    const token = newToken()
    chat.sql.run('UPDATE bots SET token_hash = ? WHERE user_id = ?', hashToken(token), bot.user_id)
    endPolls(chat, bot.user_id, 'the bot has a new token')
    return { token }
  },
  setEventWebhook({ chat, bot, body }) {
    if (body.url !== null && !chat.deliveries.accepts(body.url)) {
      throw new Refusal(400, 'url: must be a public https URL')
    }
    const secret = body.url === null ? null : (bot.webhook_secret ?? newToken())
    chat.sql.run('UPDATE bots SET webhook_url = ?, webhook_secret = ? WHERE user_id = ?', body.url, secret, bot.user_id)
    return { secret }
  },
  getEventWebhook: ({ bot }) => ({ url: bot.webhook_url, secret: bot.webhook_secret }),
  newEventWebhookSecret({ chat, bot }) {
    if (bot.webhook_url === null) throw new Refusal(400, 'the bot has no event webhook; set its URL first')
    const secret = newToken()
    chat.sql.run('UPDATE bots SET webhook_secret = ? WHERE user_id = ?', secret, bot.user_id)
    return { secret }
  },
  testEvent({ chat, bot }) {
    emit(chat, 'test', { channel_id: null, server_id: null }, [{ botId: bot.user_id }])
    return ok
  },
}
