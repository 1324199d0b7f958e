import { type Handlers, ok } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { notFound, Refusal } from '../refusal.ts'
import { worldOfBot } from '../world/starting-world.ts'

export const inspector: Handlers<PeopleEndpoints>['inspector'] = {
  journal: ({ chat, actor, bot }) => chat.inspector.watch(bot.user_id, actor.id),
  timelines({ chat, actor }) {
    const bots = chat.sql.all<{ user_id: string }>('SELECT user_id FROM bots WHERE owner_id = ?', actor.id)
    return {
      timelines: bots.flatMap(({ user_id }) => chat.timelines.summaries(user_id)),
      problems: bots.flatMap(({ user_id }) => chat.codeProblems.get(user_id) ?? []),
    }
  },
  timeline({ chat, bot, params }) {
    const timeline = chat.timelines.get(bot.user_id, Number(params.event_id))
    if (!timeline) throw notFound('timeline')
    return timeline
  },
  replay({ chat, bot, params }) {
    const eventId = Number(params.event_id)
    if (!chat.timelines.get(bot.user_id, eventId)) throw notFound('timeline')
    if (eventId < 0) throw new Refusal(400, 'not possible: only events of the service run again')
    if (!chat.replays.request(bot.user_id, eventId))
      throw new Refusal(
        400,
        'not possible: framework dev does not run this bot at the moment, or has too many requests',
      )
    return ok
  },
  world: ({ chat, bot }) => ({ world: worldOfBot(chat, bot.user_id) }),
}
