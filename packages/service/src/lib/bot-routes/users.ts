import type { Endpoints } from '@botwright/protocol'
import { answer } from '../clicks.ts'
import { type Handlers, ok } from '../handlers.ts'
import { notFound, Refusal } from '../refusal.ts'
import { openDm } from '../store/channels.ts'
import { authorView, findUser, profileView } from '../store/users.ts'
import { tell } from '../store/tell.ts'

export const interactions: Handlers<Endpoints>['interactions'] = {
  callback({ chat, params, body }) {
    const message = answer(chat, params.interaction_id, params.token, body)
    return message ? { ...ok, message } : ok
  },
}

export const users: Handlers<Endpoints>['users'] = {
  get({ chat, params }) {
    const user = findUser(chat, params.user_id)
    if (!user) throw notFound('user')
    return profileView(user)
  },
  dm({ chat, actor, params }) {
    const user = findUser(chat, params.user_id)
    if (!user) throw notFound('user')
    if (user.id === actor.id) throw new Refusal(400, 'user_id: a direct message needs somebody else')
    if (user.accepts_dms === 0) throw new Refusal(403, 'not allowed: this person takes no direct messages')
    const { id, opened } = openDm(chat, actor, user)
    if (opened) {
      tell(chat, user.id, 'dm_create', { channel_id: id, server_id: null, user: authorView(actor) })
      tell(chat, actor.id, 'dm_create', { channel_id: id, server_id: null, user: authorView(user) })
    }
    return { channel_id: id }
  },
}
