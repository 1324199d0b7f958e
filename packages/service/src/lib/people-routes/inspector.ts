import type { Handlers } from '../handlers.ts'
import { isOwnBot } from '../inspector.ts'
import type { PeopleEndpoints } from '../people-contract/index.ts'
import { notFound } from '../refusal.ts'
import { worldOfBot } from '../starting-world.ts'

export const inspector: Handlers<PeopleEndpoints>['inspector'] = {
  journal({ chat, actor, params }) {
    if (!isOwnBot(chat, actor.id, params.bot_id)) throw notFound('bot')
    return chat.inspector.watch(params.bot_id, actor.id)
  },
  world({ chat, actor, params }) {
    if (!isOwnBot(chat, actor.id, params.bot_id)) throw notFound('bot')
    return { world: worldOfBot(chat, params.bot_id) }
  },
}
