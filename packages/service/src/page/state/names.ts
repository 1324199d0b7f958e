import { computed } from '@preact/signals'
import type { Author, Channel } from '@botwright/protocol'
import type { PeopleMember } from '../../people.ts'
import type { Mention } from '../../lib/markdown/parser.ts'
import * as convert from '../../lib/markdown/typed.ts'
import { namesOf } from '../../lib/markdown/typed.ts'
import { authors, dm, dms, person, servers, views, view } from './store.ts'
import { readable } from './role-color.ts'

/** The name shown for a member: nickname, else display name, else username. */
export const memberName = (member: {
  nickname?: string | null
  display_name: string | null
  username: string
}): string => member.nickname ?? member.display_name ?? member.username

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
/** Compares names as people sort them: room 2 before room 10, whatever the case. */
export const byName = (a: string, b: string): number => collator.compare(a, b)

/** The direct messages in the order of the sidebar. */
export const sortedDms = computed(() => [...dms.value].sort((a, b) => byName(memberName(a.user), memberName(b.user))))

const members = computed(() => new Map(view.value?.members.map((each) => [each.user_id, each])))

/** The user with this id, from the loaded members, authors and direct messages. */
export function authorOf(id: string, fallback = 'someone'): Author & { nickname?: string | null } {
  const member = members.value.get(id)
  const known = authors.value[id] ?? dms.value.find((each) => each.user.id === id)?.user
  if (member) {
    const { username, display_name, bot, avatar_url } = member
    // Nicknames belong to servers.
    return { id, username, display_name, nickname: dm.value ? null : member.nickname, bot, avatar_url }
  }
  if (known) return known
  if (person.value?.id === id) return { ...person.value, bot: false }
  return { id, username: fallback, display_name: null, avatar_url: null, bot: false }
}

/** The name of a channel, server or user with this id, as people write it; undefined if it is not loaded. */
export function nameOfId(id: string): string | undefined {
  const channel = channelOf(id)
  if (channel) return `#${channel.name}`
  const server = servers.value.find((each) => each.id === id)
  if (server) return server.name
  const { username } = authorOf(id, '')
  return username === '' ? undefined : `@${username}`
}

export const nameOf = (id: string, fallback?: string): string => memberName(authorOf(id, fallback))

/** Finds a channel in all loaded servers. */
export const channelOf = (id: string): Channel | undefined =>
  Object.values(views.value)
    .flatMap((each) => each.channels)
    .find((each) => each.id === id)

/** The style of a name: its role's color, readable in both schemes, as a CSS custom property. */
export function nameStyle(id: string): { class: string; style: Record<string, string> } {
  const color = colorOf(id)
  if (color === undefined) return { class: '', style: {} }
  const shown = `light-dark(${readable(color, 'light')}, ${readable(color, 'dark')})`
  return { class: 'role-colored', style: { '--role': shown } }
}

/** The color of a member's highest colored role (decisions row 36: the greater position is the higher role). */
function colorOf(id: string): string | undefined {
  const held = (dm.value ? undefined : members.value.get(id)?.roles) ?? []
  const colored = view.value?.roles.filter((each) => held.includes(each.id) && each.color !== null) ?? []
  return colored.sort((a, b) => b.position - a.position)[0]?.color ?? undefined
}

type Here = Pick<PeopleMember, 'user_id' | 'username' | 'display_name' | 'nickname' | 'bot'>

/** The people whom a person can mention here: the members of the open server, or both people of direct messages. */
export const peopleHere = computed((): Here[] => {
  if (!dm.value) return view.value?.members ?? []
  const own = person.value && { ...person.value, bot: false }
  return [dm.value.user, ...(own ? [own] : [])].map((each) => ({ ...each, user_id: each.id, nickname: null }))
})

/** The channels that a person can link here. Direct messages belong to no server. */
export const channelsHere = computed((): Channel[] =>
  dm.value ? [] : (view.value?.channels ?? []).filter((each) => each.type === 'text'),
)

/** The names that a person can type here. */
export const typedNames = computed(() =>
  namesOf(
    peopleHere.value.map((each) => ({ id: each.user_id, name: each.username })),
    channelsHere.value,
  ),
)

/** The shown name of a mentioned user, channel or role, with its sign. */
export function mentionName({ sign, id }: Mention): string {
  if (sign === '#') return `#${channelOf(id)?.name ?? 'unknown'}`
  if (sign === '@') return `@${nameOf(id, 'unknown')}`
  return `@${view.value?.roles.find((each) => each.id === id)?.name ?? 'unknown role'}`
}

/** Converts typed text to what is sent, with the names of this place. */
export const toWire = (typed: string): string => convert.toWire(typed, typedNames.value)

/** Converts sent text back to what was typed: the reverse of `toWire`. */
export const toTyped = (content: string): string => convert.toTyped(content, typedNames.value)
