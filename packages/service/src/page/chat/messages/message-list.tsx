import { defaultRangeExtractor, type Range } from '@tanstack/virtual-core'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { plural } from '../../components/plural.ts'
import { loadMessages } from '../../state/actions.ts'
import { attempt } from '../../state/toasts.ts'
import { EmptyChannel } from './empty-channel.tsx'
import { Icon } from '../../components/icons.tsx'
import { onLogKey } from './message-keys.ts'
import { MessageRow } from './message-rows.tsx'
import { markRead } from '../../state/read-marks.ts'
import { linkedMessage } from '../../state/route.ts'
import {
  atEnd,
  complete,
  editing,
  entries,
  type Entry,
  highlighted,
  messages,
  newSince,
  person,
  place,
  unread,
} from '../../state/store.ts'
import { activeMessage } from '../../components/tab-stop.ts'
import { useVirtualizer } from '../../components/virtualizer.ts'

const endPx = 60
const nearTopPx = 240
const highlightMs = 2_000
/** The usual height of a message: used until its row is measured. */
const usualRowPx = 60
/** Rows kept above and below the visible ones, so that fast scrolling and the arrow keys find them. */
const spareRows = 6
const belowLastPx = 20

/** The id of the first unread message. */
function firstNew(shown: readonly Entry[], since: string | undefined): string | undefined {
  if (since === undefined) return undefined
  return shown.find(({ message }) => message.created_at > since && message.author_id !== person.value?.id)?.message.id
}

/**
 * The channel's messages. Only the rows in view are in the document; their heights are measured.
 * Stays at the newest message while scrolled to the end, and loads older ones at the top.
 */
export function MessageList({ label }: { label: string }) {
  const ref = useRef<HTMLDivElement>(null)
  const [loading, setLoading] = useState(false)
  /** The message to focus as soon as its row is in the document. */
  const toFocus = useRef<string | undefined>(undefined)
  const channelId = place.value.channelId ?? ''
  const shown = entries.value
  const known = complete.value[channelId]
  const since = newSince.value
  const newId = useMemo(() => firstNew(shown, since), [shown, since])
  const indexOf = (id: string | undefined) => shown.findIndex(({ message }) => message.id === id)

  // Removing a row would lose the focus, an open menu or the text of an edit.
  const kept = (): number[] => {
    const focused = ref.current?.contains(document.activeElement)
      ? document.activeElement?.closest<HTMLElement>('.log-row')?.dataset.index
      : undefined
    const edited = editing.value === undefined ? -1 : indexOf(editing.value)
    return [Number(focused ?? -1), edited].filter((index) => index >= 0 && index < shown.length)
  }
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => ref.current,
    estimateSize: () => usualRowPx,
    getItemKey: (index) => shown[index]!.message.id,
    rangeExtractor: (range: Range) => [...new Set([...defaultRangeExtractor(range), ...kept()])].sort((a, b) => a - b),
    overscan: spareRows,
    paddingEnd: belowLastPx,
    anchorTo: 'end',
    scrollEndThreshold: endPx,
  })

  /** The scroll position when the list was last at its end: only a person's scrolling leads above it. */
  const endTop = useRef(0)
  const toEnd = () => {
    list.scrollToEnd()
    endTop.current = ref.current?.scrollTop ?? 0
  }
  useLayoutEffect(() => {
    // A composer that grows must not push the newest message out of view.
    const watch = new ResizeObserver(() => atEnd.value && toEnd())
    if (ref.current) watch.observe(ref.current)
    return () => watch.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (atEnd.value) toEnd()
  }, [shown])

  const light = highlighted.value
  const lightIndex = light === undefined ? -1 : indexOf(light)
  // Must run before the next paint and after the effect above: a scroll event in between would jump back to the end.
  useLayoutEffect(() => {
    if (light === undefined || lightIndex < 0) return
    atEnd.value = false
    toFocus.current = light
    list.scrollToIndex(lightIndex, { align: 'center' })
    const timer = setTimeout(() => (highlighted.value = undefined), highlightMs)
    return () => clearTimeout(timer)
  }, [light, lightIndex >= 0])
  const focusWanted = () => {
    if (toFocus.current === undefined) return
    const target = ref.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(toFocus.current)}"]`)
    target?.focus({ preventScroll: true })
    if (target) toFocus.current = undefined
  }
  useLayoutEffect(focusWanted)
  /** Focuses the first or last loaded message, which may be outside of the document. */
  const focusEdge = (index: number) => {
    toFocus.current = shown.at(index)?.message.id
    list.scrollToIndex(index < 0 ? shown.length - 1 : index)
    focusWanted()
  }

  const loadOlder = async () => {
    const oldest = messages.value[channelId]?.[0]
    if (loading || known !== false || !oldest) return
    setLoading(true)
    await attempt(() => loadMessages(channelId, oldest.created_at))
    setLoading(false)
  }
  const onScroll = () => {
    const box = ref.current
    if (!box) return
    const end = box.scrollHeight - box.scrollTop - box.clientHeight < endPx
    if (end) {
      endTop.current = box.scrollTop
      atEnd.value = true
      markRead(channelId)
    } else if (atEnd.value && box.scrollTop >= endTop.current) {
      // New rows turned out to be higher than usual, which moved the end away.
      toEnd()
    } else atEnd.value = false
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
        onKeyDown={(event) => onLogKey(event, focusEdge)}
        onFocusIn={({ target }) => {
          activeMessage.value = (target as Element).closest<HTMLElement>('.message')?.dataset.id
        }}
        onFocusOut={({ relatedTarget }) => {
          if (!ref.current?.contains(relatedTarget as Node | null)) activeMessage.value = undefined
        }}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
      >
        <div class="log-inner">
          {known === true && shown.length === 0 && <EmptyChannel quiet={false} />}
          {shown.length > 0 && (
            <ol class="messages" style={{ height: `${list.getTotalSize()}px` }}>
              {list.getVirtualItems().map(({ index, start, key }) => {
                const entry = shown[index]
                if (!entry) return null
                return (
                  <MessageRow
                    key={key}
                    entry={entry}
                    before={shown[index - 1]}
                    isNew={entry.message.id === newId}
                    top={start}
                    index={index}
                    measure={list.measureElement}
                  >
                    {index === 0 && known === true && <EmptyChannel quiet />}
                  </MessageRow>
                )
              })}
            </ol>
          )}
        </div>
      </div>
      {(known === undefined || loading) && <p class="loading">Loading messages…</p>}
      {!atEnd.value && (
        <button
          type="button"
          class="to-newest"
          onClick={() => {
            atEnd.value = true
            linkedMessage.value = undefined
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
