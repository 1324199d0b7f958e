import { useSignalEffect } from '@preact/signals'
import { Fragment } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { attempt, loadMessages } from './actions.ts'
import { EmptyChannel } from './empty.tsx'
import { EphemeralItem, MessageItem } from './message.tsx'
import type { Entry } from './store.ts'
import { complete, entries, messages, place } from './store.ts'
import { dayName, sameDay } from './time.ts'

const groupMs = 5 * 60_000

/** Messages of one author within five minutes stand together. */
function isGrouped(entry: Entry, before: Entry | undefined): boolean {
  if (entry.kind !== 'message' || before?.kind !== 'message' || entry.message.reply_to_id !== null) return false
  const gapMs = Date.parse(entry.message.created_at) - Date.parse(before.message.created_at)
  const same = entry.message.author_id === before.message.author_id && entry.message.author === before.message.author
  return same && gapMs < groupMs && sameDay(entry.message.created_at, before.message.created_at)
}

/** The channel's messages: follows the newest one while the reader is at the end, loads older ones at the top. */
export function MessageList({ label }: { label: string }) {
  const ref = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const fromEnd = useRef(0)
  const [loading, setLoading] = useState(false)
  const channelId = place.value.channelId ?? ''
  const shown = entries.value

  const toEnd = () => ref.current && (ref.current.scrollTop = ref.current.scrollHeight)
  useLayoutEffect(() => {
    atEnd.current = true
    toEnd()
    // A picture that arrives late, or an input that grows, must not push the newest message out of sight.
    const watch = new ResizeObserver(() => atEnd.current && toEnd())
    if (ref.current) watch.observe(ref.current)
    if (ref.current?.firstElementChild) watch.observe(ref.current.firstElementChild)
    return () => watch.disconnect()
  }, [channelId])
  useLayoutEffect(() => {
    if (atEnd.current) toEnd()
    else if (loading && ref.current) ref.current.scrollTop = ref.current.scrollHeight - fromEnd.current
  }, [shown])
  useSignalEffect(() => {
    void messages.value
    setLoading(false)
  })

  const onScroll = () => {
    const box = ref.current
    if (!box) return
    fromEnd.current = box.scrollHeight - box.scrollTop
    atEnd.current = fromEnd.current - box.clientHeight < 60
    const oldest = messages.value[channelId]?.[0]
    if (box.scrollTop > 120 || loading || complete.value[channelId] !== false || !oldest) return
    setLoading(true)
    void attempt(() => loadMessages(channelId, oldest.created_at))
  }

  const known = complete.value[channelId] !== undefined
  return (
    <div class="log" ref={ref} onScroll={onScroll} role="log" aria-label={label} tabIndex={0}>
      <div class="log-inner">
        {known && complete.value[channelId] && <EmptyChannel quiet={shown.length > 0} />}
        {!known && <p class="loading">Loading messages…</p>}
        <ol class="messages">
          {shown.map((entry, index) => {
            const before = shown[index - 1]
            const { created_at, id } = entry.message
            const newDay = before ? !sameDay(before.message.created_at, created_at) : true
            return (
              <Fragment key={id}>
                {newDay && (
                  <li class="day">
                    <span>{dayName(created_at)}</span>
                  </li>
                )}
                {entry.kind === 'message' ? (
                  <MessageItem message={entry.message} grouped={isGrouped(entry, before)} />
                ) : (
                  <EphemeralItem message={entry.message} />
                )}
              </Fragment>
            )
          })}
        </ol>
      </div>
    </div>
  )
}
