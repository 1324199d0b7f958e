import { api, Refused, useToken } from './api.ts'
import { loadServer, markRead, openChannel, openServer, rereadMessages, tell } from './actions.ts'
import { complete, dms, ephemerals, messages, person, place, servers, starting, toast, unread, views } from './store.ts'
import { connect, disconnect } from './stream.ts'

// One tab, one person: sessionStorage is not shared between tabs, so several tabs are several people.
const tokenKey = 'botwright-token'
const placeKey = 'botwright-place'

/** Goes on as the person of this tab, if there is one. */
export async function resume(): Promise<void> {
  const token = sessionStorage.getItem(tokenKey)
  if (token !== null) await enter(token)
  starting.value = false
}

/** Signs in by name. Returns the service's error text when it refuses. */
export async function signIn(username: string): Promise<string | undefined> {
  try {
    const { token } = await api.signIn(username)
    sessionStorage.setItem(tokenKey, token)
    await enter(token)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function enter(token: string): Promise<void> {
  useToken(token)
  try {
    await refreshMe()
    // The feed is open before anything is read, so that nothing falls between the two.
    await connect(token, { reopened: () => void refresh().catch(tell), gone: signOut })
    const saved = JSON.parse(sessionStorage.getItem(placeKey) ?? 'null') as {
      serverId?: string
      channelId?: string
    } | null
    const first = servers.value.find((each) => each.id === saved?.serverId) ?? servers.value[0]
    if (first) await openServer(first.id, saved?.channelId)
    else if (dms.value[0]) await openChannel(undefined, dms.value[0].channel_id)
  } catch (error) {
    // A service in memory forgets its sessions when it restarts.
    if (error instanceof Refused && error.status === 401) signOut()
    else tell(error)
  }
}

async function refreshMe(): Promise<void> {
  const me = await api.me()
  person.value = me.person
  servers.value = me.servers
  dms.value = me.dms
}

/** After a lost connection: what happened meanwhile is read again. */
async function refresh(): Promise<void> {
  await refreshMe()
  const { serverId, channelId } = place.value
  if (serverId !== undefined) await loadServer(serverId)
  await rereadMessages(channelId)
}

place.subscribe((value) => {
  if (value.channelId !== undefined) sessionStorage.setItem(placeKey, JSON.stringify(value))
})

// What arrived in the open channel while the tab was hidden is read once it is shown.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && place.value.channelId !== undefined) markRead(place.value.channelId)
})

/** Leaves; the tab is free for another person. */
export function signOut(): void {
  disconnect()
  sessionStorage.removeItem(tokenKey)
  sessionStorage.removeItem(placeKey)
  useToken(undefined)
  person.value = undefined
  servers.value = []
  dms.value = []
  views.value = {}
  messages.value = {}
  complete.value = {}
  ephemerals.value = {}
  unread.value = {}
  place.value = { serverId: undefined, channelId: undefined }
}

/** Opens a server that the person just joined or made. */
export async function enterServer(serverId: string): Promise<void> {
  try {
    await refreshMe()
    await openServer(serverId)
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error))
  }
}
