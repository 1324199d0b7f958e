import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { plainText } from '../markdown.tsx'
import { exactTime } from '../time.ts'
import { explainStatus } from './explain.ts'
import { Json } from './json.tsx'
import { type Entry, entries, isProblem, paused, namedPath, shown, waiting } from './store.ts'

function summary(entry: Entry): string {
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
    return (
      <div class="entry-body">
        <Json label={`Event ${entry.event.id}`} text={entry.event.data} />
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

function Row({ entry }: { entry: Entry }) {
  const [open, setOpen] = useState(false)
  const call = entry.kind === 'call' ? entry.call : undefined
  const notes = call ? [...explainStatus(call), ...call.warnings] : []
  return (
    <li class={isProblem(entry) ? 'entry is-problem' : 'entry'}>
      <button type="button" class="entry-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span
          class={call ? 'entry-way is-call' : 'entry-way is-event'}
          title={call ? 'Call from the bot' : 'Event to the bot'}
        >
          <Icon name={call ? 'up' : 'down'} size={13} />
        </span>
        <span class="entry-name">
          {call ? (
            <>
              <b>{call.method}</b> {namedPath(call.path)}
            </>
          ) : (
            <b>{entry.kind === 'event' && entry.event.type}</b>
          )}
        </span>
        {call && <span class={`entry-status ${statusTone(call.status)}`}>{call.status}</span>}
        <span class="entry-time">
          {call && <span>{call.took_ms} ms · </span>}
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

/** The entries, newest at the bottom; follows new ones while scrolled to the end. */
export function Log() {
  const ref = useRef<HTMLUListElement>(null)
  const follows = useRef(true)
  const list = shown.value
  useEffect(() => {
    const log = ref.current
    if (log && follows.current) log.scrollTop = log.scrollHeight
  }, [list])
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
      <ul
        class="log-entries"
        ref={ref}
        aria-label="Events and calls"
        tabIndex={0}
        hidden={list.length === 0}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget
          follows.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        {list.map((entry) => (
          <Row key={entry.key} entry={entry} />
        ))}
      </ul>
      {paused.value && (
        <p class="paused-note" role="status">
          Paused{waiting.value.length > 0 ? `, ${waiting.value.length} waiting` : ''}
        </p>
      )}
    </>
  )
}
