import type { ComponentChildren } from 'preact'
import { EphemeralItem, MessageItem } from './message.tsx'
import type { Entry } from '../../state/store.ts'
import { dayName, sameDay } from '../../state/time.ts'

const groupMs = 5 * 60_000

/** Whether a message is grouped with the one before: same author, within five minutes. */
function isGrouped(entry: Entry, before: Entry | undefined): boolean {
  if (entry.kind !== 'message' || before?.kind !== 'message' || entry.message.reply_to_id !== null) return false
  const gapMs = Date.parse(entry.message.created_at) - Date.parse(before.message.created_at)
  const same = entry.message.author_id === before.message.author_id && entry.message.author === before.message.author
  return same && gapMs < groupMs && sameDay(entry.message.created_at, before.message.created_at)
}

type RowProps = {
  entry: Entry
  before: Entry | undefined
  isNew: boolean
  /** The distance from the top of the list, in pixels. */
  top: number
  index: number
  measure: (element: HTMLElement | null) => void
  children?: ComponentChildren
}

/** A row of the list: a message, after the dividers above it. Its height is measured, so the dividers belong to it. */
export function MessageRow({ entry, before, isNew, top, index, measure, children }: RowProps) {
  const { created_at } = entry.message
  const newDay = before ? !sameDay(before.message.created_at, created_at) : true
  return (
    <li class="log-row" ref={measure} data-index={index} style={{ top: `${top}px` }}>
      {children}
      {newDay && (
        <div class="day">
          <span>{dayName(created_at)}</span>
        </div>
      )}
      {isNew && (
        <div class="new-divider">
          <span>New messages</span>
        </div>
      )}
      {entry.kind === 'message' ? (
        <MessageItem message={entry.message} grouped={!isNew && !newDay && isGrouped(entry, before)} />
      ) : (
        <EphemeralItem message={entry.message} />
      )}
    </li>
  )
}
