import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { loadServer, send, tell } from './actions.ts'
import type { Suggestion } from './completion.ts'
import { complete } from './completion.ts'
import { composerId } from './focus.ts'
import { Icon } from './icons.tsx'
import { nameOf, toWire } from './names.ts'
import { channel, drafts, editing, messages, person, place, replyTo } from './store.ts'

const maxCharacters = 2000

function Suggestions({ list, active, pick }: { list: Suggestion[]; active: number; pick: (at: number) => void }) {
  return (
    <ul class="completion" id="completion" role="listbox" aria-label="Suggestions">
      {list.map((each, index) => (
        <li
          key={each.insert + each.from}
          id={`completion-${index}`}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => {
            event.preventDefault()
            pick(index)
          }}
        >
          <span class="completion-label">{each.label}</span>
          <span class="completion-detail">{each.detail}</span>
          <span class="completion-from">{each.from}</span>
        </li>
      ))}
    </ul>
  )
}

function ReplyLine() {
  const message = replyTo.value
  if (!message) return null
  return (
    <div class="reply-line">
      <Icon name="reply" size={13} />
      <span>
        Replying to <strong>{nameOf(message.author_id, message.author)}</strong>
      </span>
      <button type="button" class="action" aria-label="Do not reply" onClick={() => (replyTo.value = undefined)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}

/** The commands of a bot change while one works on it: they are read again when a command is begun. */
function refreshCommands(): void {
  if (channel.value) void loadServer(channel.value.server_id).catch(tell)
}

/** The message input: Enter sends, Shift+Enter breaks the line; `/`, `@` and `#` offer completions. */
export function Composer({ label }: { label: string }) {
  const channelId = place.value.channelId ?? ''
  const text = drafts.value[channelId] ?? ''
  const ref = useRef<HTMLTextAreaElement>(null)
  const [cursor, setCursor] = useState(0)
  const [active, setActive] = useState(0)
  const [closedFor, setClosedFor] = useState<string>()
  const [sending, setSending] = useState(false)
  const offer = closedFor === text ? undefined : complete(text, Math.min(cursor, text.length))
  const at = Math.min(active, (offer?.suggestions.length ?? 1) - 1)
  const left = maxCharacters - Array.from(text).length

  useLayoutEffect(() => {
    const box = ref.current
    if (!box) return
    box.style.height = 'auto'
    box.style.height = `${Math.min(box.scrollHeight, 220)}px`
  }, [text, channelId])
  useLayoutEffect(() => {
    if (matchMedia('(hover: hover)').matches) ref.current?.focus()
  }, [channelId])

  const change = (value: string, position: number) => {
    if ((value === '/' || value === '!') && text === '') refreshCommands()
    drafts.value = { ...drafts.value, [channelId]: value }
    setCursor(position)
    setActive(0)
    setClosedFor(undefined)
  }
  const pick = (index: number) => {
    const chosen = offer?.suggestions[index]
    if (!offer || !chosen) return
    // Written into the box at once: keys that follow in the same moment must land behind it.
    ref.current?.setRangeText(chosen.insert, offer.start, offer.end, 'end')
    change(ref.current?.value ?? text, offer.start + chosen.insert.length)
  }
  const submit = async () => {
    const content = toWire(text.trim())
    if (content === '' || sending) return
    setSending(true)
    const replyId = replyTo.value?.id
    if (await send(channelId, content, replyId)) {
      if ((drafts.value[channelId] ?? '') === text) drafts.value = { ...drafts.value, [channelId]: '' }
      if (replyTo.value?.id === replyId) replyTo.value = undefined
    }
    setSending(false)
  }
  const editLast = () => {
    const own = (messages.value[channelId] ?? []).filter((each) => each.author_id === person.value?.id)
    if (own.length > 0) editing.value = own.at(-1)?.id
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (offer) {
      const count = offer.suggestions.length
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step !== undefined) setActive((at + step + count) % count)
      else if (event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey)) pick(at)
      else if (event.key === 'Escape') setClosedFor(text)
      else return
      event.preventDefault()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void submit()
    } else if (event.key === 'Escape') replyTo.value = undefined
    else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault()
      editLast()
    }
  }

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {offer && <Suggestions list={offer.suggestions} active={at} pick={pick} />}
      <ReplyLine />
      <div class="composer-box">
        <textarea
          ref={ref}
          id={composerId}
          rows={1}
          value={text}
          placeholder={label}
          aria-label={label}
          aria-autocomplete="list"
          aria-controls={offer ? 'completion' : undefined}
          aria-activedescendant={offer ? `completion-${at}` : undefined}
          onInput={(event) => change(event.currentTarget.value, event.currentTarget.selectionStart)}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
        />
        {left < 200 && <span class={left < 0 ? 'left is-over' : 'left'}>{left}</span>}
        <button
          type="submit"
          class="send"
          aria-label="Send message"
          disabled={text.trim() === '' || sending || left < 0}
        >
          <Icon name="send" size={17} />
        </button>
      </div>
    </form>
  )
}
