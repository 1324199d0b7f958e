import { sessions } from './sessions.ts'
import { me } from './me.ts'
import { servers } from './servers.ts'
import { roles } from './roles.ts'
import { channels } from './channels.ts'
import { messages } from './messages.ts'
import { reactions } from './reactions.ts'
import { clicks } from './clicks.ts'
import { users } from './users.ts'
import { voice } from './voice.ts'
import { moderation } from './moderation.ts'
import { bots } from './bots.ts'
import { submissions } from './submissions.ts'
import { inspector } from './inspector.ts'
import { settings } from './settings.ts'
import { channelWebhooks } from './channel-webhooks.ts'
import { reports } from './reports.ts'

/*
 * The people's API, `/people/v1`, defined as a table like the bot interface: one file per group. Every call except
 * those to `/sessions` sends `Authorization: Person <token>`; `GET /stream` also accepts `?token=`, because an
 * EventSource cannot set headers.
 */

export { Username } from './sessions.ts'

/** Every endpoint of the people's API except the stream, by group and name. */
export const peopleEndpoints = {
  sessions,
  me,
  servers,
  roles,
  channels,
  messages,
  reactions,
  clicks,
  users,
  voice,
  moderation,
  bots,
  submissions,
  reports,
  settings,
  inspector,
  channelWebhooks,
} as const
/** The table of the people's API, as a type. */
export type PeopleEndpoints = typeof peopleEndpoints
