import type { Handlers } from '../handlers.ts'
import { isOwnBot } from '../inspector.ts'
import type { PeopleEndpoints } from '../people-contract/index.ts'
import { notFound } from '../refusal.ts'

export const inspector: Handlers<PeopleEndpoints>['inspector'] = {
  journal({ chat, actor, params }) {
    if (!isOwnBot(chat, actor.id, params.bot_id)) throw notFound('bot')
    return chat.inspector.watch(params.bot_id, actor.id)
  },
}
