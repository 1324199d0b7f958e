import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { limits } from '@botwright/protocol/limits'
import { send } from '../../state/actions.ts'
import { PeopleError } from '../../../people.ts'
import { pictureTypes } from '../../components/picture.tsx'
import { attach, AttachmentPreview, detach } from './attachment.tsx'
import { CommandHint } from './command-hint.tsx'
import { commandLineAt, complete } from './completion.ts'
import { replaceNames } from '../../components/emoji.ts'
import { EmojiPicker } from '../../components/emoji-picker.tsx'
import { composerId } from './focus.ts'
import { Icon } from '../../components/icons.tsx'
import { focusLastMessage } from '../messages/message-keys.ts'
import { nameOf, toWire } from '../../state/names.ts'
import { beginSlowmode, useNoPosting, useSlowmode } from './posting.ts'
import { attachments, drafts, editing, messages, newSince, person, place, replyTo } from '../../state/store.ts'
import { Suggestions } from './suggestions.tsx'
import { type UnknownCommand, unknownCommand, UnknownCommandHint } from './unknown-command.tsx'

const maxCharacters = limits.message_content.characters
const warnCharacters = 200
const tallestPx = 260

function ReplyLine() {
  const message = replyTo.value
  if (!message) return null
  return (
    <div class="reply-line">
      <Icon name="reply" size={13} />
      <span>
        Replying to <strong>{nameOf(message.author_id, message.author)}</strong>
      </span>
      <button type="button" class="action" aria-label="Cancel reply" onClick={() => (replyTo.value = undefined)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}

/** The button that opens the file dialog; the input itself is visually hidden. */
function AttachButton() {
  const ref = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        class="action composer-tool"
        aria-label="Add an image"
        title="Add an image"
        onClick={() => ref.current?.click()}
      >
        <Icon name="picture" size={18} />
      </button>
      <input
        ref={ref}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Image"
        accept={pictureTypes.join()}
        onChange={(event) => {
          attach(event.currentTarget.files)
          event.currentTarget.value = ''
          document.getElementById(composerId)?.focus()
        }}
      />
    </>
  )
}

function EmojiButton({ insert }: { insert: (text: string) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <span class="anchor">
      <button
        type="button"
        class="action composer-tool"
        aria-label="Emoji"
        title="Emoji"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="smile" size={18} />
      </button>
      {open && (
        <EmojiPicker
          label="Emoji"
          name={(each) => `Insert ${each}`}
          onClose={() => setOpen(false)}
          onPick={(each) => {
            setOpen(false)
            insert(each)
          }}
        />
      )}
    </span>
  )
}

/** The message input. Enter sends, Shift+Enter adds a line; `/`, `@`, `#` and `:` open completions; accepts pasted and dropped pictures. */
export function Composer({ label }: { label: string }) {
  const channelId = place.value.channelId ?? ''
  const text = drafts.value[channelId] ?? ''
  const picture = attachments.value[channelId]
  const ref = useRef<HTMLTextAreaElement>(null)
  const [cursor, setCursor] = useState(0)
  const [active, setActive] = useState<number>()
  const [closedFor, setClosedFor] = useState<string>()
  const [sending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<{ channelId: string; text: string }>()
  const [unknown, setUnknown] = useState<UnknownCommand & { channelId: string; text: string }>()
  const end = Math.min(cursor, text.length)
  const offer = closedFor === text ? undefined : complete(text, end)
  const line = commandLineAt(text, end)
  // -1: nothing is selected, and Enter sends.
  const first = offer?.isOptional ? -1 : 0
  const at = Math.min(active ?? first, (offer?.suggestions.length ?? 1) - 1)
  const barred = useNoPosting()
  const slowSeconds = useSlowmode()
  const left = maxCharacters - Array.from(text.length > maxCharacters / 2 ? toWire(text.trim()) : text).length
  const warned = unknown?.channelId === channelId && unknown.text === text ? unknown : undefined
  const empty = text.trim() === '' && picture === undefined

  useLayoutEffect(() => {
    const box = ref.current
    if (!box) return
    box.style.height = 'auto'
    box.style.height = `${Math.min(box.scrollHeight, tallestPx)}px`
  }, [text, channelId])
  useLayoutEffect(() => {
    if (matchMedia('(hover: hover)').matches) ref.current?.focus()
  }, [channelId])

  const change = (value: string, position: number) => {
    drafts.value = { ...drafts.value, [channelId]: value }
    setCursor(position)
    setActive(undefined)
    setClosedFor(undefined)
    setRefusal(undefined)
  }
  const write = (insert: string, start: number, end: number) => {
    // Write into the element right away, so that keys typed next land after the inserted text.
    ref.current?.setRangeText(insert, start, end, 'end')
    change(ref.current?.value ?? text, start + insert.length)
    ref.current?.focus()
  }
  const pick = (index: number) => {
    const chosen = offer?.suggestions[index]
    if (offer && chosen) write(chosen.insert, offer.start, offer.end)
  }
  const submit = async () => {
    if (empty || sending || left < 0 || barred !== undefined || slowSeconds > 0) return
    const command = warned || picture ? undefined : unknownCommand(text.trim())
    setUnknown(command && { ...command, channelId, text })
    if (command) return
    setSending(true)
    setRefusal(undefined)
    const replyId = replyTo.value?.id
    try {
      await send(channelId, toWire(await replaceNames(text.trim())), {
        ...(replyId !== undefined && { replyTo: replyId }),
        ...(picture && { picture }),
      })
      beginSlowmode(channelId)
      if ((drafts.value[channelId] ?? '') === text) drafts.value = { ...drafts.value, [channelId]: '' }
      if (attachments.value[channelId] === picture) detach(channelId)
      if (replyTo.value?.id === replyId) replyTo.value = undefined
    } catch (error) {
      if (error instanceof PeopleError && error.retrySeconds !== undefined)
        beginSlowmode(channelId, error.retrySeconds * 1000)
      setRefusal({ channelId, text: error instanceof Error ? error.message : String(error) })
    }
    setSending(false)
  }
  const editLast = () => {
    const own = (messages.value[channelId] ?? []).filter((each) => each.author_id === person.value?.id)
    if (own.length > 0) editing.value = own.at(-1)?.id
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.altKey) return
    if (offer) {
      const count = offer.suggestions.length
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step !== undefined) setActive((Math.max(at, step < 0 ? 0 : -1) + step + count) % count)
      else if (event.key === 'Enter' && !event.shiftKey && at < 0) void submit()
      else if (event.key === 'Enter' && !event.shiftKey) pick(at)
      else if (event.key === 'Tab' && !event.shiftKey) pick(Math.max(at, 0))
      else if (event.key === 'Escape') setClosedFor(text)
      else return
    } else if (event.key === 'Enter' && !event.shiftKey) void submit()
    else if (event.key === 'Escape') {
      if (replyTo.value) replyTo.value = undefined
      else if (picture) detach(channelId)
      else newSince.value = undefined
    } else if (event.key === 'ArrowUp' && text === '') editLast()
    else if (event.key === 'Tab' && event.shiftKey) focusLastMessage()
    else return
    event.preventDefault()
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
      {line && <CommandHint line={line} />}
      <ReplyLine />
      <div class={refusal?.channelId === channelId ? 'composer-box is-refused' : 'composer-box'}>
        {picture && <AttachmentPreview file={picture} channelId={channelId} />}
        <div class="composer-line">
          <AttachButton />
          <textarea
            ref={ref}
            id={composerId}
            rows={1}
            dir="auto"
            value={text}
            placeholder={barred ?? label}
            disabled={barred !== undefined}
            aria-label={label}
            aria-autocomplete="list"
            aria-controls={offer ? 'completion' : undefined}
            aria-activedescendant={offer && at >= 0 ? `completion-${at}` : undefined}
            aria-describedby="command-hint composer-refusal"
            onInput={(event) => change(event.currentTarget.value, event.currentTarget.selectionStart)}
            onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              if (attach(event.clipboardData?.files)) event.preventDefault()
            }}
          />
          {left < warnCharacters && <span class={left < 0 ? 'left is-over' : 'left'}>{left}</span>}
          <EmojiButton
            insert={(each) => write(each, ref.current?.selectionStart ?? 0, ref.current?.selectionEnd ?? 0)}
          />
          <button
            type="submit"
            class="send"
            aria-label="Send message"
            disabled={empty || sending || left < 0 || barred !== undefined || slowSeconds > 0}
          >
            {slowSeconds > 0 ? (
              <span class="slow-seconds">{slowSeconds}</span>
            ) : sending ? (
              <span class="spinner" />
            ) : (
              <Icon name="send" size={17} />
            )}
          </button>
        </div>
      </div>
      {warned && (
        <UnknownCommandHint
          command={warned}
          use={(meant) => write(meant, text.indexOf(warned.typed), text.indexOf(warned.typed) + warned.typed.length)}
        />
      )}
      <p id="composer-refusal" class="composer-refusal" role="alert">
        {refusal?.channelId === channelId && refusal.text}
      </p>
      {slowSeconds > 0 && <p class="composer-slow">Slowmode: you can send the next message in {slowSeconds} s.</p>}
    </form>
  )
}
