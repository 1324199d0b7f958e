import { effect } from '@preact/signals'
import { PeopleError } from '../../people.ts'
import { beginNavigation, jumpTo, openChannel, openServer } from '../state/actions.ts'
import { attempt } from '../state/toasts.ts'
import { type Address, missing, readAddress, writeAddress } from './address.ts'
import { ownHalf, reportHalf } from './split-screen.ts'
import { inspectorShown, linkedMessage, type Missing, route } from '../state/route.ts'
import { memberName } from '../state/names.ts'
import { dms, drawer, person, place, servers, starting } from '../state/store.ts'

/** The address of what the window shows. */
function shownAddress(): string {
  const { serverId, channelId } = place.value
  const link = linkedMessage.value
  const messageId = link && link.channel_id === channelId ? link.id : undefined
  const isDm = dms.value.some((each) => each.channel_id === channelId)
  return writeAddress({ route: route.value, serverId, channelId, messageId, inspector: inspectorShown.value }, isDm)
}

/** The URL of a message, for links. */
export function messageLink({ channel_id, id }: { channel_id: string; id: string }): string {
  const isDm = dms.value.some((each) => each.channel_id === channel_id)
  const { serverId } = place.value
  const chat = { route: { screen: 'chat' } as const, inspector: false }
  return location.origin + writeAddress({ ...chat, serverId, channelId: channel_id, messageId: id }, isDm)
}

/** The state of the history's entry of an open drawer. */
const openDrawer = 'drawer'
/** The window goes back from the entry of a drawer that was closed; a second step would leave the page. */
let isGoingBack = false

/** Above 0 while the window follows a URL or a person signs in: the steps on the way stay out of the history. */
let following = 0
let pending = false

const report = (address: string): void => reportHalf(address, person.peek() && memberName(person.peek()!))

function writeUrl(): void {
  pending = false
  if (!person.peek() && !starting.peek()) reportHalf(undefined, undefined)
  if (!person.peek() || starting.peek() || following > 0) return
  const shown = shownAddress()
  // An open drawer has an entry of its own, so that Back closes it. Not in a half of the split screen: both have one history.
  const isMarked = history.state === openDrawer
  if (shown !== location.pathname + location.search) history[isMarked ? 'replaceState' : 'pushState'](null, '', shown)
  else if (drawer.peek() !== undefined && !isMarked && !ownHalf) history.pushState(openDrawer, '', shown)
  else if (drawer.peek() === undefined && isMarked && !isGoingBack) {
    isGoingBack = true
    history.back()
  }
  report(shown)
}

/** Shows what an address names. Returns what the person may not see, or what does not exist. */
async function show({
  route: screen,
  serverId,
  channelId,
  messageId,
  inspector,
}: Address): Promise<Missing | undefined> {
  beginNavigation()
  inspectorShown.value = inspector
  const isDm = dms.value.some((each) => each.channel_id === channelId)
  if (serverId !== undefined && !servers.value.some((each) => each.id === serverId)) return 'server'
  if (serverId === undefined && channelId !== undefined && !isDm) return 'conversation'
  const same = place.value.channelId === channelId && place.value.serverId === serverId
  const opens = isDm
    ? openChannel(undefined, channelId)
    : serverId !== undefined && !(same && channelId !== undefined)
      ? openServer(serverId, channelId)
      : true
  // The person may have opened something else meanwhile, such as with a second Back.
  if (!(await opens)) return undefined
  // Opening a channel closes the screen, so the screen comes last.
  route.value = screen
  linkedMessage.value = undefined
  if (channelId === undefined) return undefined
  if (place.value.channelId !== channelId) return 'channel'
  if (messageId === undefined) return undefined
  const isCurrent = beginNavigation()
  return (await findMessage({ channel_id: channelId, id: messageId })) || !isCurrent() ? undefined : 'message'
}

/** Jumps to a message. Returns whether it exists. */
async function findMessage(message: { channel_id: string; id: string }): Promise<boolean> {
  try {
    await jumpTo(message)
    return true
  } catch (error) {
    if (error instanceof PeopleError && (error.status === 404 || error.status === 400)) return false
    throw error
  }
}

/** Runs changes of the window that make no entries in the history; afterwards the URL is that of what the window shows. */
export async function withoutHistory<T>(change: () => Promise<T>): Promise<T> {
  following++
  try {
    return await change()
  } finally {
    following--
    if (following === 0 && person.peek()) {
      history.replaceState(null, '', shownAddress())
      report(shownAddress())
    }
  }
}

/** Follows a URL; if it names nothing that the person may see, the window reports that. Returns whether it showed what the URL names. */
export async function follow(url: URL): Promise<boolean> {
  let isShown = false
  await attempt(() =>
    withoutHistory(async () => {
      const address = readAddress(url)
      const gone = await show(address)
      isShown = gone === undefined
      if (gone !== undefined) route.value = missing(gone, url).route
    }),
  )
  return isShown
}

/** The URL that the window was opened with. */
export const openedWith = new URL(location.href)

/** Keeps the URL and the window in step: changes of the window make entries in the history, Back and Forward change the window. */
export function startNavigation(): void {
  effect(() => {
    void [person.value, starting.value, drawer.value, shownAddress()]
    // One entry for changes that belong together, such as closing a screen and opening a channel.
    if (!pending) queueMicrotask(writeUrl)
    pending = true
  })
  addEventListener('popstate', () => {
    isGoingBack = false
    if (history.state !== openDrawer) drawer.value = undefined
    if (person.peek()) void follow(new URL(location.href))
  })
}
