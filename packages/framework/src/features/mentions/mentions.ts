import { isId, limits } from '@botwright/protocol/facts'
import { type ArgParam, packable } from '../arguments/composed.ts'
import { packUuid } from '../arguments/param-kinds.ts'
import { phrase } from '../../author/texts/phrase.ts'
import { arg, type ArgPlace, lookUpOnce, misfit } from '../../author/args/arg.ts'
import { fold, type Found, NameIndex, safeName } from './pick-name.ts'

/** Larger servers are not searched completely: the reply asks for a mention. */
const MAX_PAGES = 20
/** The longest possible name: a longer text is not looked up. */
const LONGEST_NAME = 200

/** A person: a mention (`<@id>`, §2), an id, or the name of a member of the server; returns the user's id. */
export const user = (): ArgParam<string> =>
  packable(
    arg({
      expects: phrase('kind.person'),
      example: '@ann',
      read: (typed, place) => idOf(typed, /^<@!?([^>]+)>$/) ?? findMember(nameIn(typed, '@'), place),
      write: (id) => `<@${id}>`,
    }),
    packUuid,
  )

/** A channel: a link (`<#id>`, §2), an id, or its name in the server; returns the channel's id. `type` restricts the names, not links and ids. */
export const channel = ({ type }: { type?: 'text' | 'voice' } = {}): ArgParam<string> =>
  packable(
    arg({
      expects: phrase(type === 'voice' ? 'kind.voice_channel' : 'kind.channel'),
      example: '#general',
      read: (typed, place) => idOf(typed, /^<#([^>]+)>$/) ?? findChannel(nameIn(typed, '#'), type, place),
      write: (id) => `<#${id}>`,
    }),
    packUuid,
  )

/** A role of the server, by its name or id; returns the role's id. A name of several words is typed in quotes. */
export const role = (): ArgParam<string> =>
  packable(
    arg({
      expects: phrase('kind.role'),
      example: '@Staff',
      read: (typed, place) => (isId(typed) ? typed.toLowerCase() : findRole(nameIn(typed, '@'), place)),
    }),
    packUuid,
  )

function idOf(typed: string, mention: RegExp): string | undefined {
  const id = mention.exec(typed)?.[1] ?? typed
  return isId(id) ? id.toLowerCase() : undefined
}

/** The name after its sign. Impossible names are not looked up. */
function nameIn(typed: string, sign: string): string {
  const name = typed.startsWith(sign) ? typed.slice(1) : typed
  if (name.length > LONGEST_NAME) throw misfit()
  if (name.trim() === '' || /^(?:everyone|here)$/i.test(name) || /[<>]/.test(name)) throw misfit()
  return name
}

function findMember(name: string, place: ArgPlace): Promise<string> {
  const { server_id, api } = place
  if (server_id === null) throw misfit(phrase('name.person_in_dm'))
  return lookUpOnce(place, 'members', () => new MemberSearch(server_id, api)).find(name)
}

interface MemberPage {
  /** A username is unique; nicknames and display names are not. */
  byUsername: ReadonlyMap<string, string>
  found: readonly Found[]
  /** The last member of a full page: more may follow. */
  after: string | undefined
}

/** The members of a server, read page by page, as far as the looked up names require. */
class MemberSearch {
  readonly #server_id: string
  readonly #api: ArgPlace['api']
  readonly #pages: Promise<MemberPage>[] = []
  #index: Promise<NameIndex> | undefined

  constructor(server_id: string, api: ArgPlace['api']) {
    this.#server_id = server_id
    this.#api = api
  }

  async find(name: string): Promise<string> {
    const username = fold(name)
    let after: string | undefined
    for (let i = 0; i < MAX_PAGES; i++) {
      const page = await (this.#pages[i] ??= this.#read(after))
      const id = page.byUsername.get(username)
      if (id !== undefined) return id
      after = page.after
      if (after === undefined) return (await (this.#index ??= this.#buildIndex())).pick(name)
    }
    throw misfit(phrase('name.large_server'))
  }

  async #buildIndex(): Promise<NameIndex> {
    const pages = await Promise.all(this.#pages)
    return new NameIndex(
      pages.flatMap(({ found }) => found),
      { unknown: 'name.no_person', several: 'name.several_persons' },
    )
  }

  async #read(after: string | undefined): Promise<MemberPage> {
    const limit = limits.members_page.max
    const { members } = await this.#api.members.list({
      server_id: this.#server_id,
      limit,
      ...(after !== undefined && { after }),
    })
    const byUsername = new Map<string, string>()
    const found: Found[] = []
    for (const member of members as readonly LooseMember[]) {
      const id = memberId(member)
      if (id === undefined) continue
      const { username: known, display_name, nickname } = { ...member.user, ...member }
      const username = known ?? ''
      if (username !== '') byUsername.set(fold(username), id)
      found.push({
        id,
        names: [nickname, display_name],
        near: username,
        shown: () => `@${safeName(username || nickname || display_name || id)}`,
      })
    }
    const last = members.length < limit ? undefined : (members as readonly LooseMember[]).at(-1)
    return { byUsername, found, after: last && memberId(last) }
  }
}

/** A member in any of the forms in which it may arrive (decisions row 11). */
interface LooseMember {
  user_id?: string
  id?: string
  username?: string | null
  display_name?: string | null
  nickname?: string | null
  user?: { id?: string; username?: string | null; display_name?: string | null }
}

const memberId = ({ user_id, id, user }: LooseMember): string | undefined => user_id ?? id ?? user?.id

async function findChannel(name: string, type: 'text' | 'voice' | undefined, place: ArgPlace): Promise<string> {
  const { server_id, api } = place
  if (server_id === null) throw misfit(phrase('name.channel_in_dm'))
  const index = await lookUpOnce(place, `channels ${type}`, async () => {
    const { channels } = await api.channels.listOfServer({ server_id, ...(type && { type }) })
    const found = channels.flatMap(({ id, name: called, category }): Found[] => {
      const where = () => (category ? ` (in ${safeName(category.name)})` : '')
      const shown = () => `#${safeName(called)}${where()}`
      return typeof called === 'string' ? [{ id, names: [called], near: called, shown }] : []
    })
    return new NameIndex(found, { unknown: 'name.no_channel', several: 'name.several_channels' })
  })
  return index.pick(name)
}

async function findRole(name: string, place: ArgPlace): Promise<string> {
  const { server_id, api } = place
  if (server_id === null) throw misfit(phrase('name.role_in_dm'))
  const index = await lookUpOnce(place, 'roles', async () => {
    const { roles } = await api.servers.roles({ server_id })
    // Only the id of a role is certain (decisions row 10).
    const found = (roles as readonly { id: string; name?: unknown }[]).flatMap(({ id, name: called }): Found[] =>
      typeof called === 'string' ? [{ id, names: [called], near: called, shown: () => `@${safeName(called)}` }] : [],
    )
    return new NameIndex(found, { unknown: 'name.no_role', several: 'name.several_roles' })
  })
  return index.pick(name)
}
