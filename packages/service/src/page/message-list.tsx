import { Fragment } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { plural } from './plural.ts'
import { attempt, loadMessages } from './actions.ts'
import { EmptyChannel } from './empty.tsx'
import { Icon } from './icons.tsx'
import { EphemeralItem, MessageItem } from './message.tsx'
import { onLogKey } from './message-keys.ts'
import { markRead } from './read-marks.ts'
import {
  atEnd,
  complete,
  entries,
  type Entry,
  highlighted,
  messages,
  newSince,
  person,
  place,
  unread,
} from './store.ts'
import { dayName, sameDay } from './time.ts'

const groupMs = 5 * 60_000
const endPx = 60
const nearTopPx = 240
const highlightMs = 2_000

/** Whether a message is grouped with the one before: same author, within five minutes. */
function isGrouped(entry: Entry, before: Entry | undefined): boolean {
  if (entry.kind !== 'message' || before?.kind !== 'message' || entry.message.reply_to_id !== null) return false
  const gapMs = Date.parse(entry.message.created_at) - Date.parse(before.message.created_at)
  const same = entry.message.author_id === before.message.author_id && entry.message.author === before.message.author
  return same && gapMs < groupMs && sameDay(entry.message.created_at, before.message.created_at)
}

/** The id of the first unread message. */
function firstNew(shown: readonly Entry[]): string | undefined {
  const since = newSince.value
  if (since === undefined) return undefined
  return shown.find(({ message }) => message.created_at > since && message.author_id !== person.value?.id)?.message.id
}

function Rows({ shown }: { shown: readonly Entry[] }) {
  const newId = firstNew(shown)
  return (
    <ol class="messages">
      {shown.map((entry, index) => {
        const before = shown[index - 1]
        const { created_at, id } = entry.message
        const newDay = before ? !sameDay(before.message.created_at, created_at) : true
        const isNew = id === newId
        return (
          <Fragment key={id}>
            {newDay && (
              <li class="day">
                <span>{dayName(created_at)}</span>
              </li>
            )}
            {isNew && (
              <li class="new-divider">
                <span>New messages</span>
              </li>
            )}
            {entry.kind === 'message' ? (
              <MessageItem message={entry.message} grouped={!isNew && !newDay && isGrouped(entry, before)} />
            ) : (
              <EphemeralItem message={entry.message} />
            )}
          </Fragment>
        )
      })}
    </ol>
  )
}

/** The channel's messages. Stays at the newest one while scrolled to the end, and loads older ones at the top. */
export function MessageList({ label }: { label: string }) {
  const ref = useRef<HTMLDivElement>(null)
  /** The distance from the end when older messages were requested; restored when they arrive. */
  const heldPx = useRef<number | undefined>(undefined)
  const [loading, setLoading] = useState(false)
  const channelId = place.value.channelId ?? ''
  const shown = entries.value
  const known = complete.value[channelId]

  const toEnd = () => ref.current && (ref.current.scrollTop = ref.current.scrollHeight)
  useLayoutEffect(() => {
    toEnd()
    // A picture that loads late, or an input that grows, must not push the newest message out of view.
    const watch = new ResizeObserver(() => atEnd.value && toEnd())
    if (ref.current) watch.observe(ref.current)
    if (ref.current?.firstElementChild) watch.observe(ref.current.firstElementChild)
    return () => watch.disconnect()
  }, [channelId])
  useLayoutEffect(() => {
    const box = ref.current
    if (!box) return
    if (atEnd.value) toEnd()
    else if (heldPx.current !== undefined) box.scrollTop = box.scrollHeight - heldPx.current
    heldPx.current = undefined
  }, [shown])

  const light = highlighted.value
  // Must run before the next paint and after the effect above: a scroll event in between would jump back to the end.
  useLayoutEffect(() => {
    if (light === undefined) return
    atEnd.value = false
    const target = ref.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(light)}"]`)
    target?.scrollIntoView({ block: 'center' })
    target?.focus({ preventScroll: true })
    const timer = setTimeout(() => (highlighted.value = undefined), highlightMs)
    return () => clearTimeout(timer)
  }, [light])

  const loadOlder = async () => {
    const oldest = messages.value[channelId]?.[0]
    if (loading || known !== false || !oldest || !ref.current) return
    setLoading(true)
    heldPx.current = ref.current.scrollHeight - ref.current.scrollTop
    await attempt(() => loadMessages(channelId, oldest.created_at))
    setLoading(false)
  }
  const onScroll = () => {
    const box = ref.current
    if (!box) return
    const end = box.scrollHeight - box.scrollTop - box.clientHeight < endPx
    if (end !== atEnd.value) atEnd.value = end
    if (end) markRead(channelId)
    if (box.scrollTop < nearTopPx) void loadOlder()
  }
  // In a tall window nothing scrolls after the first page, so load more right away.
  useEffect(() => {
    const box = ref.current
    if (box && known === false && box.scrollHeight <= box.clientHeight) void loadOlder()
  }, [shown, known])

  const missed = unread.value[channelId]?.count ?? 0
  return (
    <div class="log-frame">
      <div
        class="log"
        ref={ref}
        onScroll={onScroll}
        onKeyDown={onLogKey}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
      >
        <div class="log-inner">
          {known === true && <EmptyChannel quiet={shown.length > 0} />}
          {(known === undefined || loading) && <p class="loading">Loading messages…</p>}
          <Rows shown={shown} />
        </div>
      </div>
      {!atEnd.value && (
        <button
          type="button"
          class="to-newest"
          onClick={() => {
            atEnd.value = true
            toEnd()
            markRead(channelId)
          }}
        >
          <Icon name="newest" size={14} />
          {missed > 0 ? plural(missed, 'new message') : 'Jump to latest'}
        </button>
      )}
    </div>
  )
}
