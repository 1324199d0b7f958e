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

const linePx = 21
const headPx = 33
const paddingPx = 6
const dayPx = 42
const letterPx = 7.2
/** The space beside the text of a message. */
const besidePx = 92
/** The usual height of what may be below the text. */
const embedPx = 110
const rowPx = 40

const usual = new WeakMap<Entry['message'], number>()

/**
 * About how high a row will be. The closer to its real height, the fewer rows are rendered and measured that turn out to be out of
 * view: with many messages in a second, that is most of the work.
 */
export function usualHeight(entry: Entry, before: Entry | undefined, widthPx: number): number {
  const { message } = entry
  const known = usual.get(message)
  if (known !== undefined) return known
  const inLine = Math.max(20, (widthPx - besidePx) / letterPx)
  const lines = message.content.split('\n').map((line) => Math.max(1, Math.ceil(line.length / inLine)))
  const isNewDay = before === undefined || !sameDay(before.message.created_at, message.created_at)
  const head = isNewDay ? dayPx + headPx : isGrouped(entry, before) ? 0 : headPx
  const text = message.content === '' ? 0 : lines.reduce((sum, each) => sum + each, 0) * linePx
  const buttons = 'components' in message ? message.components.length + Math.min(1, message.reactions.length) : 1
  const height = paddingPx + head + text + message.embeds.length * embedPx + buttons * rowPx
  usual.set(message, height)
  return height
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
