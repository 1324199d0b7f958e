import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TimelineSummary } from '../../people.ts'
import { takeFocus } from '../components/focus.ts'
import { Icon } from '../components/icons.tsx'
import { plainText } from '../components/markdown/markdown.tsx'
import { exactTime } from '../state/time.ts'
import { isFailed, isOwnWork } from '../state/timelines.ts'
import { useVirtualizer } from '../components/virtualizer.ts'
import { explainStatus } from './explain.ts'
import { Json } from './json.tsx'
import {
  type Entry,
  entries,
  type Fold,
  isProblem,
  namedPath,
  openEntries,
  paused,
  rows as allRows,
  timelineOfEntry,
  toggleEntry,
  waiting,
  wantedEntry,
  withNames,
} from '../state/inspector.ts'
import { EventTimeline, spanText } from './timeline.tsx'

/** The usual height of an entry: used until it is measured. */
const usualEntryPx = 52
const spareEntries = 8
const endPx = 40

function summary(entry: Entry): string {
  const timeline = timelineOfEntry(entry)
  if (timeline?.error) return withNames(timeline.error)
  // The data of an event that is older than the journal is not loaded.
  if (timeline && entry.kind === 'event' && entry.event.data === '')
    return timeline.who === null ? timeline.title : `${timeline.who}: ${timeline.title}`
  if (entry.kind === 'event') return preview(entry.event.data)
  const { sent, answer, status } = entry.call
  if (status >= 400) return errorText(answer)
  return sent === null ? '' : preview(sent)
}

const parsed = (json: string): Record<string, unknown> => {
  try {
    return JSON.parse(json) as Record<string, unknown>
  } catch {
    return {}
  }
}
const errorText = (answer: string | null): string => {
  const { error } = parsed(answer ?? '{}')
  return typeof error === 'string' ? error : ''
}

/** The most useful field, as a one-line summary. */
function preview(json: string): string {
  const data = parsed(json)
  const text = data['content'] ?? data['custom_id'] ?? data['emoji'] ?? data['activity'] ?? data['type']
  const who = data['author'] ?? data['username']
  const said = typeof text === 'string' ? plainText(text) : ''
  return typeof who === 'string' ? `${who}: ${said}` : said
}

const statusTone = (status: number): string => (status >= 500 ? 'is-bad' : status >= 400 ? 'is-bad' : 'is-good')

function Details({ entry }: { entry: Entry }) {
  if (entry.kind === 'event') {
    const timeline = timelineOfEntry(entry)
    return (
      <div class="entry-body">
        {timeline && <EventTimeline summary={timeline} withData={entry.event.data === ''} />}
        {entry.event.data !== '' && <Json label={`Event ${entry.event.id}`} text={entry.event.data} />}
      </div>
    )
  }
  const { call } = entry
  return (
    <div class="entry-body">
      <p class="entry-path">
        <code>
          {call.method} {call.path}
        </code>
      </p>
      {call.sent !== null && <Json label="Request" text={call.sent} />}
      {call.answer !== null && <Json label={`Response ${call.status}`} text={call.answer} />}
    </div>
  )
}

/** How an event ended, in a word. */
const results: Readonly<Record<string, string>> = {
  error: 'failed',
  timed_out: 'timed out',
  dead_lettered: 'set aside',
  none: 'no file',
  passed: 'passed on',
  unfinished: 'running',
}

function Result({ timeline }: { timeline: TimelineSummary }) {
  const { result } = timeline
  const tone = isFailed(timeline) ? 'is-bad' : result === 'ok' ? 'is-good' : ''
  return <span class={`entry-result ${tone}`}>{results[result] ?? result}</span>
}

type Place = { index: number; top: number; measure: (element: HTMLElement | null) => void }
type RowProps = Place & { entry: Entry }
type FoldProps = Place & { fold: Fold }

/** `12 message, 3 reaction_add` */
function typeCounts({ events }: Fold): string {
  const counts = new Map<string, number>()
  for (const one of events) if (one.kind === 'event') counts.set(one.event.type, (counts.get(one.event.type) ?? 0) + 1)
  return [...counts].map(([type, count]) => `${count} ${type}`).join(', ')
}

/** Events in a row that no file handled: a thin line that opens. */
function FoldRow({ fold, index, top, measure }: FoldProps) {
  return (
    <li class="entry entry-fold" ref={measure} data-index={index} style={{ top: `${top}px` }}>
      <button
        type="button"
        class="fold-head"
        aria-expanded={openEntries.value.has(fold.key)}
        onClick={() => toggleEntry(fold.key)}
      >
        <Icon name="right" size={12} />
        <span class="fold-text">
          {fold.events.length} events without a handler <span>{typeCounts(fold)}</span>
        </span>
        <time class="entry-time" dateTime={fold.at}>
          {exactTime(fold.at)}
        </time>
      </button>
    </li>
  )
}

function Row({ entry, index, top, measure }: RowProps) {
  const open = openEntries.value.has(entry.key)
  const call = entry.kind === 'call' ? entry.call : undefined
  const timeline = timelineOfEntry(entry)
  const tookMs = call ? call.took_ms : timeline?.ms
  const notes = call ? [...explainStatus(call), ...call.warnings] : []
  return (
    <li
      class={isProblem(entry) ? 'entry is-problem' : 'entry'}
      ref={measure}
      data-index={index}
      style={{ top: `${top}px` }}
    >
      <button
        type="button"
        class="entry-head"
        data-key={entry.key}
        aria-expanded={open}
        onClick={() => toggleEntry(entry.key)}
      >
        <span
          class={call ? 'entry-way is-call' : 'entry-way is-event'}
          title={
            call ? 'Call from the bot' : timeline && isOwnWork(timeline) ? "The bot's own work" : 'Event to the bot'
          }
        >
          <Icon name={call ? 'outgoing' : 'newest'} size={13} />
        </span>
        <span class="entry-name">
          {call ? (
            <>
              <b>{call.method}</b> {namedPath(call.path)}
            </>
          ) : (
            <>
              <b>{entry.kind === 'event' && entry.event.type}</b> {timeline?.file}
            </>
          )}
        </span>
        {call && <span class={`entry-status ${statusTone(call.status)}`}>{call.status}</span>}
        {timeline && <Result timeline={timeline} />}
        <span class="entry-time">
          {typeof tookMs === 'number' && <span>{spanText(tookMs)} · </span>}
          <time dateTime={entry.at}>{exactTime(entry.at)}</time>
        </span>
        <span class="entry-summary">{summary(entry)}</span>
      </button>
      {notes.map((note) => (
        <p key={note} class="entry-note">
          <Icon name="warning" size={13} />
          <span>{note}</span>
        </p>
      ))}
      {open && <Details entry={entry} />}
    </li>
  )
}

/** The entries, newest at the bottom; follows new ones while scrolled to the end. Only those in view are in the document. */
export function Log() {
  const ref = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const list = allRows.value
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => ref.current,
    estimateSize: () => usualEntryPx,
    getItemKey: (index) => list[index]!.key,
    overscan: spareEntries,
    anchorTo: 'end',
    scrollEndThreshold: endPx,
  })
  const wanted = wantedEntry.value
  const wantedIndex = wanted === undefined ? -1 : list.findIndex(({ key }) => key === wanted)
  useLayoutEffect(() => {
    if (follows.current && wanted === undefined) rows.scrollToEnd()
  }, [list])
  useLayoutEffect(() => {
    if (wantedIndex < 0) return
    follows.current = false
    rows.scrollToIndex(wantedIndex, { align: 'start' })
  }, [wanted, wantedIndex])
  useLayoutEffect(() => {
    const head = wanted === undefined ? null : ref.current?.querySelector<HTMLElement>(`[data-key="${wanted}"]`)
    if (!head) return
    takeFocus(head, { preventScroll: true })
    wantedEntry.value = undefined
  })
  const nothing = entries.value.length === 0
  return (
    <>
      {list.length === 0 && (
        <div class="inspector-empty">
          <h3>{nothing ? 'Nothing yet' : 'No matching entries'}</h3>
          <p>
            {nothing
              ? 'Start the bot or post in one of its channels. Each event and call appears here.'
              : 'Select All and All types to see everything.'}
          </p>
        </div>
      )}
      <div
        class="log-entries"
        ref={ref}
        hidden={list.length === 0}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget
          follows.current = scrollHeight - scrollTop - clientHeight < endPx
        }}
      >
        <ul aria-label="Events and calls" style={{ height: `${rows.getTotalSize()}px` }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const row = list[index]
            const place = { index, top: start, measure: rows.measureElement }
            if (row?.kind === 'fold') return <FoldRow key={row.key} fold={row} {...place} />
            return row && <Row key={row.key} entry={row} {...place} />
          })}
        </ul>
      </div>
      {paused.value && (
        <p class="paused-note" role="status">
          Paused{waiting.value.length > 0 ? `, ${waiting.value.length} waiting` : ''}
        </p>
      )}
    </>
  )
}
