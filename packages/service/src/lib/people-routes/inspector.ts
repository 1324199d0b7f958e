import type { Handlers } from '../handlers.ts'
import type { PeopleEndpoints } from '../people-contract/index.ts'
import { worldOfBot } from '../starting-world.ts'

export const inspector: Handlers<PeopleEndpoints>['inspector'] = {
  journal: ({ chat, actor, bot }) => chat.inspector.watch(bot.user_id, actor.id),
  world: ({ chat, bot }) => ({ world: worldOfBot(chat, bot.user_id) }),
}
