import { isId, limits } from '@botwright/protocol/facts'
import { type ArgParam, packable } from '../params/composed.ts'
import { packUuid } from '../params/kinds.ts'
import { arg, type ArgPlace, misfit } from './arg.ts'
import { type Found, pick, safeName } from './pick-name.ts'

/** Larger servers are not searched to their end: the person is asked for a mention. */
const MOST_PAGES = 20

/** A person: mentioned (`<@id>`, §2), by id, or by the name of a member of the server; gives the user's id. */
export const user = (): ArgParam<string> =>
  packable(
    arg({
      expects: 'a person: mention one, or type a name',
      example: '@ann',
      read: (typed, place) => idOf(typed, /^<@!?([^>]+)>$/) ?? findMember(nameIn(typed, '@'), place),
      write: (id) => `<@${id}>`,
    }),
    packUuid,
  )

/** A channel: linked (`<#id>`, §2), by id, or by its name in the server; gives the channel's id. `type` takes those of one type alone. */
export const channel = ({ type }: { type?: 'text' | 'voice' } = {}): ArgParam<string> =>
  packable(
    arg({
      expects: `a ${type === 'voice' ? 'voice ' : ''}channel: link one, or type its name`,
      example: '#general',
      read: (typed, place) => idOf(typed, /^<#([^>]+)>$/) ?? findChannel(nameIn(typed, '#'), type, place),
      write: (id) => `<#${id}>`,
    }),
    packUuid,
  )

/** A role of the server, by its name or id; gives the role's id. A name of several words is typed in quotes. */
export const role = (): ArgParam<string> =>
  packable(
    arg({
      expects: 'a role: type its name',
      example: '@Staff',
      read: (typed, place) => (isId(typed) ? typed.toLowerCase() : findRole(nameIn(typed, '@'), place)),
    }),
    packUuid,
  )

function idOf(typed: string, mention: RegExp): string | undefined {
  const id = mention.exec(typed)?.[1] ?? typed
  return isId(id) ? id.toLowerCase() : undefined
}

/** The name behind its sign. What can be nobody's name is not asked for. */
function nameIn(typed: string, sign: string): string {
  const name = typed.startsWith(sign) ? typed.slice(1) : typed
  if (name.trim() === '' || /^(?:everyone|here)$/i.test(name) || /[<>]/.test(name)) throw misfit()
  return name
}

async function findMember(name: string, { server_id, api }: ArgPlace): Promise<string> {
  if (server_id === null) throw misfit('must be a person: mention one, for names are known in servers only')
  const found: Found[] = []
  const max = limits.members_page.max
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { members } = await api.members.list({ server_id, limit: max, ...(after !== undefined && { after }) })
    for (const member of members as readonly LooseMember[]) {
      const id = memberId(member)
      if (id === undefined) continue
      const { username = '', display_name, nickname } = { ...member.user, ...member }
      // A username is one person's alone; nicknames and display names may be anybody's.
      if (username.toLowerCase() === name.toLowerCase()) return id
      found.push({ id, shown: `@${safeName(username)}`, names: [nickname, display_name], near: [username] })
    }
    after = members.length < max ? undefined : memberId((members as readonly LooseMember[]).at(-1)!)
    if (after === undefined) return pick(name, found, 'person', 'mention the one that you mean')
  }
  throw misfit('must be a person: mention one, for this server has too many members to look for a name')
}

/** A member in any of the forms that it may arrive in (decisions row 11). */
interface LooseMember {
  user_id?: string
  id?: string
  username?: string
  display_name?: string | null
  nickname?: string | null
  user?: { id?: string; username?: string; display_name?: string | null }
}

const memberId = ({ user_id, id, user }: LooseMember): string | undefined => user_id ?? id ?? user?.id

async function findChannel(name: string, type: 'text' | 'voice' | undefined, place: ArgPlace): Promise<string> {
  const { server_id, api } = place
  if (server_id === null) throw misfit('must be a channel: link one, for names are known in servers only')
  const { channels } = await api.channels.listOfServer({ server_id, ...(type && { type }) })
  const found = channels.map(({ id, name: called, category }): Found => {
    const where = category ? ` (in ${safeName(category.name)})` : ''
    return { id, shown: `#${safeName(called)}${where}`, names: [called], near: [called] }
  })
  return pick(name, found, 'channel', 'link the one that you mean')
}

async function findRole(name: string, { server_id, api }: ArgPlace): Promise<string> {
  if (server_id === null) throw misfit('must be a role, and there are none in direct messages')
  const { roles } = await api.servers.roles({ server_id })
  // Only the id of a role is certain (decisions row 10).
  const found = (roles as readonly { id: string; name?: unknown }[]).flatMap(({ id, name: called }): Found[] =>
    typeof called === 'string' ? [{ id, shown: `@${safeName(called)}`, names: [called], near: [called] }] : [],
  )
  return pick(name, found, 'role', 'type the id of the one that you mean')
}
