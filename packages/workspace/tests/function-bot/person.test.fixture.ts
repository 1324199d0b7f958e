import type { Service } from '@botwright/service'
import { connectPeople, type PeopleClient } from '@botwright/service/people'

/** A new person, and the channel #general of their first server. */
export async function joinGeneral(
  { url: origin }: Service,
  username: string,
): Promise<{ person: PeopleClient; channel_id: string }> {
  const { token } = await connectPeople(() => ({ origin })).sessions.create({ username })
  const person = connectPeople(() => ({ origin, token }))
  const { servers } = await person.me.get()
  const { channels } = await person.servers.get({ server_id: servers[0]!.id })
  return { person, channel_id: channels.find(({ name }) => name === 'general')!.id }
}
