import type { Handlers } from '../handlers.ts'
import type { PeopleEndpoints } from '../people-contract/index.ts'
import { notFound } from '../refusal.ts'
import { worldOfBot } from '../starting-world.ts'

export const inspector: Handlers<PeopleEndpoints>['inspector'] = {
  journal: ({ chat, actor, bot }) => chat.inspector.watch(bot.user_id, actor.id),
  timelines: ({ chat, actor }) => ({
    timelines: chat.sql
      .all<{ user_id: string }>('SELECT user_id FROM bots WHERE owner_id = ?', actor.id)
      .flatMap(({ user_id }) => chat.timelines.summaries(user_id)),
  }),
  timeline({ chat, bot, params }) {
    const timeline = chat.timelines.get(bot.user_id, Number(params.event_id))
    if (!timeline) throw notFound('timeline')
    return timeline
  },
  world: ({ chat, bot }) => ({ world: worldOfBot(chat, bot.user_id) }),
}
