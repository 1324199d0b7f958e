import { useMemo, useRef } from 'preact/hooks'
import { Icon } from '../../components/icons.tsx'
import { plural } from '../../components/plural.ts'
import { activeMessage } from '../../components/tab-stop.ts'
import { markRead } from '../../state/read-marks.ts'
import { linkedMessage } from '../../state/route.ts'
import { atEnd, complete, entries, type Entry, newSince, person, place, unread } from '../../state/store.ts'
import { EmptyChannel } from './empty-channel.tsx'
import { onLogPointer } from './message-actions.tsx'
import { onLogKey, onLogPress } from './message-keys.ts'
import { MessageRow } from './message-rows.tsx'
import { useEnd, useFocus, useOlder, useRows } from './scrolling.ts'

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
  const channelId = place.value.channelId ?? ''
  const shown = entries.value
  const known = complete.value[channelId]
  const since = newSince.value
  const newId = useMemo(() => firstNew(shown, since), [shown, since])
  const rows = useRows(ref, shown)
  const end = useEnd(ref, rows, { shown, channelId })
  const focusEdge = useFocus(ref, rows, shown)
  const older = useOlder(ref, { shown, channelId })
  return (
    <div class="log-frame">
      <div
        class="log"
        ref={ref}
        onScroll={({ currentTarget }) => {
          end.onScroll(currentTarget)
          older.onScroll(currentTarget)
        }}
        onKeyDown={(event) => onLogKey(event, focusEdge)}
        onPointerDown={onLogPress}
        onPointerOver={onLogPointer}
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
            <ol class="messages" style={{ height: `${rows.getTotalSize()}px` }}>
              {rows.getVirtualItems().map(({ index, start, key }) => {
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
                    measure={rows.measureElement}
                  >
                    {index === 0 && known === true && <EmptyChannel quiet />}
                  </MessageRow>
                )
              })}
            </ol>
          )}
        </div>
      </div>
      {(known === undefined || older.loading) && <p class="loading">Loading messages…</p>}
      <div class="log-foot">{!atEnd.value && <ToNewest channelId={channelId} scroll={end.toEnd} />}</div>
    </div>
  )
}

function ToNewest({ channelId, scroll }: { channelId: string; scroll: () => void }) {
  const missed = unread.value[channelId]?.count ?? 0
  const jump = () => {
    atEnd.value = true
    linkedMessage.value = undefined
    scroll()
    markRead(channelId)
  }
  return (
    <button type="button" class="to-newest" onClick={jump}>
      <Icon name="newest" size={14} />
      {missed > 0 ? plural(missed, 'new message') : 'Jump to latest'}
    </button>
  )
}
