import type { Endpoints } from '@botwright/protocol'
import type { Handlers } from '../http/handlers.ts'
import { categories, channels } from './channels.ts'
import { commands, events, me } from './me.ts'
import { messages, reactions } from './messages.ts'
import { moderation } from './moderation.ts'
import { members, servers } from './servers.ts'
import { interactions, users } from './users.ts'
import { voice } from './voice.ts'

/** The bot interface (§4). */
export const botHandlers: Handlers<Endpoints> = {
  me,
  commands,
  events,
  servers,
  members,
  channels,
  categories,
  moderation,
  voice,
  messages,
  reactions,
  interactions,
  users,
}
