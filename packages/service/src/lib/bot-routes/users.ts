import type { Endpoints } from '@botwright/protocol'
import { answer } from '../store/clicks.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import { Refusal } from '../refusal.ts'
import { openDm } from '../store/channels.ts'
import { authorView, profileView, requireAccount } from '../store/users.ts'
import { notify } from '../store/notify.ts'

export const interactions: Handlers<Endpoints>['interactions'] = {
  callback({ chat, ...answered }) {
    const message = answer(chat, answered)
    return message ? { ...ok, message } : ok
  },
}

export const users: Handlers<Endpoints>['users'] = {
  get: ({ chat, params }) => profileView(requireAccount(chat, params.user_id)),
  dm({ chat, actor, params }) {
    const user = requireAccount(chat, params.user_id)
    if (user.id === actor.id) throw new Refusal(400, 'user_id: cannot open direct messages with yourself')
    if (user.accepts_dms === 0) throw new Refusal(403, 'not allowed: this person does not accept direct messages')
    const { id, opened } = openDm(chat, actor, user)
    if (opened) {
      notify(chat, user.id, 'dm_create', { channel_id: id, server_id: null, user: authorView(actor) })
      notify(chat, actor.id, 'dm_create', { channel_id: id, server_id: null, user: authorView(user) })
    }
    return { channel_id: id }
  },
}
