import type { Missing, Route } from '../state/route.ts'

/** The view that a URL of the page names. */
export type Address = {
  route: Route
  serverId: string | undefined
  channelId: string | undefined
  messageId: string | undefined
  inspector: boolean
}

const inspectorQuery = 'inspector'
const nowhere = { serverId: undefined, channelId: undefined, messageId: undefined }

/**
 * Reads a URL of the page: `/s/<server>/c/<channel>/m/<message>`, `/dm/<channel>/m/<message>`, `/s/<server>/settings/<tab>`,
 * `/s/<server>/settings/roles/<role>`, where `new` is a role that is being created, `/developer/<tab>`, `/developer/bots/<bot>`,
 * `/profile`; `?inspector` opens the inspector. `/` is the chat.
 */
export function readAddress(url: URL): Address {
  const parts = url.pathname.replace(/\/$/, '').split('/').slice(1).map(decoded)
  const [first, second, third, fourth, fifth, sixth] = parts
  const inspector = url.searchParams.has(inspectorQuery)
  /** The address, unless the URL goes on after its parts. */
  const upTo = (count: number, address: Partial<Address>): Address =>
    parts.length > count ? missing('page', url) : { ...nowhere, inspector, route: { screen: 'chat' }, ...address }
  if (first === undefined) return upTo(0, {})
  if (first === 's' && second && third === 'settings')
    return upTo(fourth === 'roles' ? 5 : 4, {
      serverId: second,
      route: {
        screen: 'server-settings',
        serverId: second,
        ...(fourth && { tab: fourth }),
        ...(fifth && { roleId: fifth }),
      },
    })
  if (first === 's' && second && third === undefined) return upTo(2, { serverId: second })
  if (first === 's' && second && third === 'c' && fourth && (fifth === undefined || fifth === 'm'))
    return upTo(6, { serverId: second, channelId: fourth, messageId: sixth })
  if (first === 'dm' && second && (third === undefined || third === 'm'))
    return upTo(4, { channelId: second, messageId: fourth })
  if (first === 'developer') {
    if (second === 'bots') return upTo(3, { route: { screen: 'developer', ...(third && { botId: third }) } })
    return upTo(2, { route: { screen: 'developer', ...(second && { tab: second }) } })
  }
  if (first === 'profile') return upTo(1, { route: { screen: 'profile' } })
  return missing('page', url)
}

/** The address of a URL that names nothing. */
export const missing = (what: Missing, url: URL): Address => ({
  ...nowhere,
  inspector: false,
  // A path with two slashes at its start would name another host.
  route: { screen: 'missing', what, url: url.pathname.replace(/^\/+/, '/') + url.search },
})

/**
 * A part of a path, in lower case, as all names of screens and tabs are; ids may be in upper case (decisions row 52). One with a
 * malformed escape, such as `%zz`, stays as it is, and names nothing.
 */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part).toLowerCase()
  } catch {
    return part
  }
}

/** Writes the URL of an address, without the origin; with `isDm` its channel is a direct message. */
export function writeAddress({ route, serverId, channelId, messageId, inspector }: Address, isDm: boolean): string {
  if (route.screen === 'missing') return route.url
  const parts: (string | undefined)[] = []
  if (route.screen === 'server-settings') parts.push('s', route.serverId, 'settings', route.tab, route.roleId)
  else if (route.screen === 'developer') {
    parts.push('developer', ...(route.botId === undefined ? [route.tab] : ['bots', route.botId]))
  } else if (route.screen === 'profile') parts.push('profile')
  else {
    if (isDm) parts.push('dm', channelId)
    else if (serverId !== undefined) parts.push('s', serverId, ...(channelId === undefined ? [] : ['c', channelId]))
    if (channelId !== undefined && messageId !== undefined) parts.push('m', messageId)
  }
  const path = parts.flatMap((part) => (part === undefined ? [] : [encodeURIComponent(part)])).join('/')
  return `/${path}${inspector ? `?${inspectorQuery}` : ''}`
}
