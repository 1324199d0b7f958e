import { click, type Action, join, react, say } from './actions.ts'
import { type BotSearch, findBot } from './bot-at-service.ts'
import type { Recording } from './recording.ts'
import type { PersonAtService, Place } from './person.ts'

/** Something for a person to do. */
export type Act =
  | { verb: 'say'; who: string; where: string; content: string }
  | { verb: 'dm'; who: string; content: string }
  | { verb: 'click'; who: string; where: string; label: string; on: string | undefined }
  | { verb: 'join'; who: string; server: string | undefined }
  | { verb: 'react'; who: string; where: string; emoji: string; on: string | undefined }

/** Does what an act describes. Rejects with `ERR_REFUSED` and the service's text, or with `ERR_CONFIG`. */
export async function perform(
  person: PersonAtService,
  act: Act,
  search: BotSearch & { recording: Recording | undefined },
): Promise<Action> {
  switch (act.verb) {
    case 'say':
      return say(person, await person.channel(act.where), act.content)
    case 'dm':
      return say(person, await directMessages(person, search), act.content)
    case 'click':
      return click(person, await person.channel(act.where), {
        ...act,
        missed: (button) => search.recording?.missedChoice(button),
        heldUntil: (button) => search.recording?.heldUntil(button),
      })
    case 'join':
      return join(person, act.server)
    case 'react':
      return react(person, await person.channel(act.where), act)
  }
}

/** The channel for direct messages with the bot. */
export async function directMessages(person: PersonAtService, search: BotSearch): Promise<Place> {
  const { id: botId } = await findBot(person, search)
  const { channel_id: id } = await person.api.users.dm({ user_id: botId })
  return { id, title: 'direct messages' }
}
