import type { BotProfile, Endpoints } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import { checkContent } from '../rules/content-rules.ts'
import type { UserRow } from '../db/rows.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import { notifyBot } from '../store/servers.ts'
import { setPicture } from '../store/uploads.ts'
import { findBot, findUser, profileView, setProfile } from '../store/users.ts'

function botProfile(chat: Chat, user: UserRow): BotProfile {
  const bot = findBot(chat, user.id)!
  return { ...profileView(user), bot: { name: user.username, public: bot.public === 1, owner_id: bot.owner_id } }
}

/** Handlers for profile pictures, shared by bots and people. */
export const pictures: Pick<Handlers<Endpoints>['me'], 'setAvatar' | 'removeAvatar' | 'setBanner' | 'removeBanner'> = {
  setAvatar: ({ chat, actor, file }) => ({ ...ok, avatar_url: setPicture(chat, actor.id, 'avatar', file) }),
  removeAvatar({ chat, actor }) {
    setPicture(chat, actor.id, 'avatar', null)
    return ok
  },
  setBanner: ({ chat, actor, file }) => ({ ...ok, banner_url: setPicture(chat, actor.id, 'banner', file) }),
  removeBanner({ chat, actor }) {
    setPicture(chat, actor.id, 'banner', null)
    return ok
  },
}

export const me: Handlers<Endpoints>['me'] = {
  get: ({ chat, actor }) => botProfile(chat, actor),
  update({ chat, actor, body }) {
    setProfile(chat, actor.id, body)
    return botProfile(chat, findUser(chat, actor.id)!)
  },
  ...pictures,
  setStatus({ chat, actor, body }) {
    const activity = body.activity ?? null
    checkContent(chat, actor, { activity })
    chat.afterCommit.push(() => chat.presences.set(actor.id, body.status, activity))
    return { ...ok, status: body.status, activity }
  },
}

export const commands: Handlers<Endpoints>['commands'] = {
  list: ({ chat, actor }) => ({ commands: JSON.parse(findBot(chat, actor.id)!.commands) as [] }),
  replace({ chat, actor, body }) {
    checkContent(chat, actor, { commands: body.commands })
    chat.sql.run('UPDATE bots SET commands = ? WHERE user_id = ?', JSON.stringify(body.commands), actor.id)
    notifyBot(chat, actor.id)
    return { ...ok, commands: body.commands }
  },
}

export const events: Handlers<Endpoints>['events'] = {
  async list({ chat, actor, query, onDisconnect }) {
    const ended = chat.presences.polling(actor.id)
    try {
      return await chat.feed.poll(actor.id, query, onDisconnect)
    } finally {
      ended()
    }
  },
}
