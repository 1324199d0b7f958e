import { signal } from '@preact/signals'
import type { Author } from '@botwright/protocol'
import { foldName } from '@botwright/protocol/typed-text'
import { PeopleError } from '../../people.ts'
import { announce } from '../components/announcer.tsx'
import { api, PersonLeft, useToken } from '../state/api.ts'
import { ownBots } from '../state/own-bots.ts'
import { clearEntries } from '../state/inspector.ts'
import { loadServer, openChannel, openServer, reloadAll } from '../state/actions.ts'
import { sessionKey } from '../navigation/split-screen.ts'
import { readAddress } from '../navigation/address.ts'
import { follow, openedWith, withoutHistory } from '../navigation/navigation.ts'
import { markWatched, startReadMarks } from '../state/read-marks.ts'
import { closeScreen } from '../state/route.ts'
import { closeDrafts, forgetDrafts, openDrafts } from './saved-drafts.ts'
import { clearStore, connection, dms, person, pictureHosts, place, servers, starting } from '../state/store.ts'
import { connect, disconnect, holdEvents } from '../stream/stream.ts'
import { clearTimelines, loadTimelines } from '../state/timelines.ts'
import { showError } from '../state/toasts.ts'

// Each tab has its own people: sessionStorage is not shared between tabs, so two windows can be two people.
const peopleKey = sessionKey('botwright-people')
const currentKey = sessionKey('botwright-current')
const placeKey = sessionKey('botwright-place')

/** A person signed in in this tab; switching to them needs no new sign-in. */
export type SignedIn = Author & { token: string }
export const signedIn = signal<SignedIn[]>(JSON.parse(sessionStorage.getItem(peopleKey) ?? '[]') as SignedIn[])
/** Whether the sign-in screen is open to add another person. */
export const addingPerson = signal(false)

function keep(list: SignedIn[]): void {
  signedIn.value = list
  sessionStorage.setItem(peopleKey, JSON.stringify(list))
}

/** Resumes the session of this tab, if there is one. */
export async function resume(): Promise<void> {
  const current = signedIn.value.find((each) => each.id === sessionStorage.getItem(currentKey)) ?? signedIn.value[0]
  if (current) await enter(current)
  starting.value = false
}

/** Signs in by name. Returns the service's error text if it refuses. */
export async function signIn(username: string): Promise<string | undefined> {
  const known = signedIn.value.find((each) => foldName(each.username) === foldName(username))
  if (known && known.id === person.value?.id) {
    addingPerson.value = false
    return undefined
  }
  try {
    const { token, person: entered } = known
      ? { token: known.token, person: known }
      : await api.sessions.create({ username })
    const { id, display_name, avatar_url } = entered
    const next = { id, username: entered.username, display_name, avatar_url, bot: false, token }
    keep([...signedIn.value.filter((each) => each.id !== id), next])
    await switchTo(next)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Clears everything of a person before the window has another one. */
function leave(): void {
  disconnect()
  closeDrafts()
  clearStore()
  ownBots.value = undefined
  clearEntries()
  announce(undefined)
}

/** Switches the window to another person. */
export async function switchTo(to: SignedIn): Promise<void> {
  leave()
  closeScreen()
  addingPerson.value = false
  // The first person may never get connected.
  starting.value = false
  await enter(to)
}

type Saved = { serverId?: string; channelId?: string }

async function enter({ id, token }: SignedIn, again = true): Promise<void> {
  clearTimelines()
  useToken(token)
  sessionStorage.setItem(currentKey, id)
  connection.value = 'open'
  try {
    await loadMe()
    void openDrafts(id)
    // Open the stream before loading the rest, so that no event is missed in between.
    await connect(
      { personId: id, token },
      {
        reopened: () => void refresh().catch(showError),
        gone: (error) => (error.status === 401 ? void renew(id) : refused(id, error)),
      },
    )
    await refreshMe()
    await withoutHistory(() => openFirst(id))
  } catch (error) {
    if (error instanceof PeopleError && error.status === 401 && again) await renew(id)
    else if (error instanceof PeopleError && (error.status === 401 || error.status === 403)) refused(id, error)
    else showError(error)
  }
}

let opened = false
/** Opens what was open last, and then what the URL of the window names. The URL counts for the first person only. */
async function openFirst(id: string): Promise<void> {
  const linked = opened ? undefined : openedWith
  opened = true
  const saved = JSON.parse(sessionStorage.getItem(`${placeKey}-${id}`) ?? '{}') as Saved
  const first = servers.value.find((each) => each.id === saved.serverId) ?? servers.value[0]
  // The sidebar next to a conversation shows the server that was open before it.
  place.value = { serverId: first?.id, channelId: undefined }
  if (linked && readAddress(linked).channelId && (await follow(linked))) return
  const dm = dms.value.find((each) => each.channel_id === saved.channelId) ?? (first ? undefined : dms.value[0])
  if (first) await openServer(first.id, saved.channelId)
  if (dm) await openChannel(undefined, dm.channel_id)
  // Also if it names nothing: the way on from there leads to the channel that is open now.
  if (linked) await follow(linked)
}

/** An in-memory service loses its sessions on restart: sign in again with the same name. */
async function renew(id: string): Promise<void> {
  const known = signedIn.value.find((each) => each.id === id)
  leave()
  useToken(undefined)
  if (!known) return
  try {
    const { token, person: entered } = await api.sessions.create({ username: known.username })
    const next = { ...known, id: entered.id, token }
    keep(signedIn.value.map((each) => (each.id === id ? next : each)))
    await enter(next, false)
  } catch (error) {
    if (!(error instanceof PersonLeft)) refused(id, error)
  }
}

/** The service does not let this person in, for example because it has banned them. Their drafts stay: they may be back soon. */
function refused(id: string, error: unknown): void {
  endSession(id)
  showError(error)
}

async function loadMe() {
  const me = await api.me.get()
  person.value = me.person
  servers.value = me.servers
  dms.value = me.dms
  pictureHosts.value = me.picture_hosts
  return me
}

async function refreshMe(): Promise<void> {
  let counted
  // The response must not undo events that are newer.
  const release = holdEvents()
  try {
    const me = await loadMe()
    counted = startReadMarks(me.newest)
    // Its bar, with the button that leaves voice, is also next to other servers.
    if (me.voice_server_id) void loadServer(me.voice_server_id).catch(showError)
  } finally {
    release()
  }
  loadTimelines()
  await counted
}

/** Reloads what may have changed while the connection was down. */
async function refresh(): Promise<void> {
  await refreshMe()
  await reloadAll()
}

place.subscribe((value) => {
  const id = person.peek()?.id
  if (id !== undefined && value.channelId !== undefined) {
    sessionStorage.setItem(`${placeKey}-${id}`, JSON.stringify(value))
  }
})

// Messages that arrived while the tab was hidden count as read once the tab is visible.
document.addEventListener('visibilitychange', markWatched)

/** Ends the session of a person; the window can then switch to another one. */
function endSession(id: string | null): void {
  leave()
  closeScreen()
  useToken(undefined)
  keep(signedIn.value.filter((each) => each.id !== id))
  sessionStorage.removeItem(currentKey)
}

/** Signs the person of the window out, and forgets what they were writing. */
export function signOut(): void {
  const id = person.value?.id ?? sessionStorage.getItem(currentKey)
  endSession(id)
  if (id !== null) forgetDrafts(id)
}

/** Opens a server that the person just joined or created. */
export async function enterServer(serverId: string): Promise<void> {
  await refreshMe()
  await openServer(serverId)
}
