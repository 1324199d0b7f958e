import { openChannel } from '../state/actions.ts'
import { attempt } from '../state/toasts.ts'
import { focusComposer } from './composer/focus.ts'
import { closeScreen, route } from '../state/route.ts'
import { sortedDms } from '../state/names.ts'
import { drawer, newSince, overlay, person, place, searching, unread, view } from '../state/store.ts'
import { isComposing } from '../components/focus.ts'

/** The channels in the order of the sidebar. */
function channelsInOrder(): { serverId: string | undefined; id: string }[] {
  const shown = view.value
  const groups = [null, ...(shown?.categories ?? []).map((each) => each.id)]
  const texts = groups.flatMap(
    (group) => shown?.channels.filter((each) => each.type === 'text' && each.category_id === group) ?? [],
  )
  return [
    ...texts.map((each) => ({ serverId: each.server_id, id: each.id })),
    ...sortedDms.value.map((each) => ({ serverId: undefined, id: each.channel_id })),
  ]
}

function step(by: 1 | -1, unreadOnly: boolean): void {
  const all = channelsInOrder()
  const at = all.findIndex((each) => each.id === place.value.channelId)
  for (let n = 1; n <= all.length; n++) {
    const next = all[(at + by * n + all.length * n) % all.length]
    if (next && (!unreadOnly || unread.value[next.id] !== undefined)) {
      return void attempt(() => openChannel(next.serverId, next.id))
    }
  }
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

/** The browser's own search finds only the messages in view. */
const canSearch = () => route.value.screen === 'chat' && place.value.channelId !== undefined

/** Global keyboard shortcuts; the focused element handles its own keys first. */
export function onWindowKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || isComposing(event) || !person.value || document.querySelector('dialog[open]')) return
  const command = event.ctrlKey || event.metaKey
  if (command && event.key.toLowerCase() === 'k') overlay.value = { kind: 'switcher' }
  else if (command && event.key.toLowerCase() === 'f' && canSearch()) searching.value = true
  else if (command && event.key === '/') overlay.value = { kind: 'shortcuts' }
  else if (event.altKey && event.key === 'ArrowDown') step(1, event.shiftKey)
  else if (event.altKey && event.key === 'ArrowUp') step(-1, event.shiftKey)
  else if (event.key === 'Escape') {
    if (route.value.screen !== 'chat') closeScreen()
    else if (drawer.value) drawer.value = undefined
    else newSince.value = undefined
  } else if (
    event.key.length === 1 &&
    !command &&
    !event.altKey &&
    !isField(event.target) &&
    route.value.screen === 'chat' &&
    (event.target === document.body || (event.target as Element).matches?.('.log'))
  ) {
    // Typing anywhere goes to the message input, first letter included.
    return focusComposer()
  } else return
  event.preventDefault()
}
