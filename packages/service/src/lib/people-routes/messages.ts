import { messages as botMessages } from '../bot-routes/messages.ts'
import type { Handlers } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { requirePosting } from '../store/posting.ts'
import { Refusal } from '../refusal.ts'
import { insertMessage, messageView } from '../store/messages.ts'
import { listPins } from './pins.ts'
import { searchMessages } from './search.ts'

/** Messages of people: like those of bots, without embeds and buttons, but with an optional picture (§6: `attachment`). */
export const messages: Handlers<PeopleEndpoints>['messages'] = {
  ...botMessages,
  create({ chat, actor, channel, body, file }) {
    if (body.content.trim() === '' && !file) throw new Refusal(400, 'content: a message requires content or an image')
    requirePosting(chat, channel, actor)
    return messageView(chat, insertMessage(chat, channel, actor, { ...body, picture: file }), channel, actor.id)
  },
  search: ({ chat, actor, query }) => searchMessages(chat, actor.id, query),
  pins: ({ chat, actor, channel }) => listPins(chat, channel, actor.id),
}
