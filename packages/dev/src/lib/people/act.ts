import { BotwrightError } from '@botwright/protocol/facts'
import type { BotProfile, PublicProfile } from '@botwright/protocol/shapes'
import { serviceAccess } from '../service-access.ts'
import { click, type Action, join, react, say } from './actions.ts'
import type { PersonAtService, Place } from './person.ts'

/** Something for a person to do. */
export type Act =
  | { verb: 'say'; who: string; where: string; content: string }
  | { verb: 'dm'; who: string; content: string }
  | { verb: 'click'; who: string; where: string; label: string; on: string | undefined }
  | { verb: 'join'; who: string; server: string | undefined }
  | { verb: 'react'; who: string; where: string; emoji: string; on: string | undefined }

/** Does what an act describes. Rejects with `ERR_REFUSED` and the service's text, or with `ERR_CONFIG`. */
export async function perform(person: PersonAtService, act: Act, folder: string): Promise<Action> {
  switch (act.verb) {
    case 'say':
      return say(person, await person.channel(act.where), act.content)
    case 'dm':
      return say(person, await directMessages(person, folder), act.content)
    case 'click':
      return click(person, await person.channel(act.where), act)
    case 'join':
      return join(person, act.server)
    case 'react':
      return react(person, await person.channel(act.where), act)
  }
}

/** The channel for direct messages with the bot of a folder. */
export async function directMessages(person: PersonAtService, folder: string): Promise<Place> {
  const { id: botId } = await botOf(folder)
  const { channel_id: id } = await person.api.users.dm({ user_id: botId })
  return { id, title: 'direct messages' }
}

/** The id of the bot of a folder, and the name of its owner. Rejects with `ERR_CONFIG` or `ERR_REFUSED`. */
export async function botOf(folder: string): Promise<{ id: string; owner: string }> {
  const { token, baseUrl } = await serviceAccess(folder)
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bot ${token}` } })
    if (!answer.ok) throw new BotwrightError('ERR_REFUSED', `GET ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const { id, bot } = await get<BotProfile>('/me')
  const { username } = await get<PublicProfile>(`/users/${bot.owner_id}`)
  return { id, owner: username }
}
