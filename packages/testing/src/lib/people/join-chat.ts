import type { Service } from '@botwright/service'
import { Activity, FAR_QUIET_MS } from './activity.ts'
import { Person } from './person.ts'
import { Stage } from './stage.ts'

/** How long people wait for a bot of another process, as the test cannot see whether it is still working. */
const PATIENCE_MS = 5000

/** People on a service in this process, with a bot that may run anywhere. Use it for demonstrations. */
export interface Chat {
  person(username: string): Person
}

/** `bot`: the username of the bot whose answers count. */
export function joinChat(service: Service, { bot }: { bot: string }): Chat {
  const activity = new Activity(
    {
      busy: () => true,
      sending: () => true,
      loading: () => false,
      waitsForClock: () => false,
      progresses: () => false,
      signs: NaN,
    },
    { quietMs: FAR_QUIET_MS },
  )
  const stage = new Stage({ service, botId: service.world.bots[bot]!.id, activity, patienceMs: PATIENCE_MS })
  return { person: (username) => new Person(stage, username) }
}
