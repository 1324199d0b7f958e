import type { Route } from '../state/route.ts'

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
 * `/developer/<tab>`, `/developer/bots/<bot>`, `/profile`; `?inspector` opens the inspector. Anything else is the chat.
 */
export function readAddress(url: URL): Address {
  const [first, second, third, fourth, fifth, sixth] = url.pathname.split('/').slice(1).map(decoded)
  const inspector = url.searchParams.has(inspectorQuery)
  const chat = { route: { screen: 'chat' } as const, inspector }
  if (first === 's' && second && third === 'settings') {
    const route = { screen: 'server-settings', serverId: second, ...(fourth && { tab: fourth }) } as const
    return { ...nowhere, inspector, route, serverId: second }
  }
  if (first === 's' && second) {
    const channelId = third === 'c' ? fourth : undefined
    return { ...chat, serverId: second, channelId, messageId: fifth === 'm' ? sixth : undefined }
  }
  if (first === 'dm' && second) {
    return { ...chat, serverId: undefined, channelId: second, messageId: third === 'm' ? fourth : undefined }
  }
  if (first === 'developer') {
    const part = second === 'bots' && third ? { botId: third } : second ? { tab: second } : {}
    return { ...nowhere, inspector, route: { screen: 'developer', ...part } }
  }
  if (first === 'profile') return { ...nowhere, inspector, route: { screen: 'profile' } }
  return { ...chat, ...nowhere }
}

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
  const parts: (string | undefined)[] = []
  if (route.screen === 'server-settings') parts.push('s', route.serverId, 'settings', route.tab)
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
