import type { Service } from '@botwright/service'
import { Activity, FAR_QUIET_MS } from './activity.ts'
import { Person } from './person.ts'
import { Stage } from './stage.ts'
import { BotwrightError } from '@botwright/protocol/facts'
import { foldName } from '@botwright/protocol/typed-text'

/** How long people wait for a bot of another process, as the test cannot see whether it is still working. */
const PATIENCE_MS = 5000

/** People on a service in this process, with a bot that may run anywhere. Use it for demonstrations. */
export interface Chat {
  person(username: string): Person
}

/** `bot`: the username of the bot whose answers count. Throws `ERR_INVALID_REQUEST` if the service has no such bot. */
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
  const stage = new Stage({ service, botId: botIdOf(service, bot), activity, patienceMs: PATIENCE_MS })
  return { person: (username) => new Person(stage, username) }
}

function botIdOf({ world: { bots } }: Service, username: string): string {
  const found = Object.keys(bots).find((known) => foldName(known) === foldName(username))
  if (found !== undefined) return bots[found]!.id
  const names = Object.keys(bots).join(', ') || 'none'
  throw new BotwrightError('ERR_INVALID_REQUEST', `there is no bot "${username}"; available: ${names}`)
}
