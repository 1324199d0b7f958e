import { limits } from '@botwright/protocol/limits'
import { useEffect, useRef, useState } from 'preact/hooks'
import { allEmoji, hasNames, loadEmoji, replaceLoadedNames } from '../../components/emoji.ts'
import { EmojiPicker } from '../../components/emoji-picker.tsx'
import { Icon } from '../../components/icons.tsx'
import { pictureTypes } from '../../components/picture.tsx'
import { nameOf, toWire } from '../../state/names.ts'
import { attachments, editing, messages, newSince, person, place, replyTo } from '../../state/store.ts'
import { showError } from '../../state/toasts.ts'
import { focusLastMessage } from '../messages/message-keys.ts'
import { attach, AttachmentPreview, detach } from './attachment.tsx'
import { CommandHint } from './command-hint.tsx'
import { commandLineAt } from './completion.ts'
import { composerId, focusComposer } from './focus.ts'
import { useNoPosting, useSlowmode } from './posting.ts'
import { Suggestions } from './suggestions.tsx'
import { UnknownCommandHint } from './unknown-command.tsx'
import { useCompletion } from './use-completion.ts'
import { useSending } from './use-sending.ts'
import { useTextBox } from './use-text-box.ts'
import { isComposing } from '../../components/focus.ts'

const maxCharacters = limits.message_content.characters
const warnCharacters = 200

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
          focusComposer()
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

interface SendProps {
  sending: boolean
  disabled: boolean
  /** The seconds until the person may send again. */
  slowSeconds: number
}

const SendButton = ({ sending, disabled, slowSeconds }: SendProps) => (
  <button type="submit" class="send" aria-label="Send message" disabled={disabled}>
    {slowSeconds > 0 ? (
      <span class="slow-seconds">{slowSeconds}</span>
    ) : sending ? (
      <span class="spinner" />
    ) : (
      <Icon name="send" size={17} />
    )}
  </button>
)

function placeOf(part: string, text: string): { start: number; end: number } {
  const start = text.indexOf(part)
  return { start, end: start + part.length }
}

/** The shortest mention, such as `@a`, becomes one of 39 characters. */
const longestGrowth = 20

/** How many characters may still be typed: the service counts those that are sent. */
function useCharactersLeft(text: string): number {
  const mayBeTooLong = text.length > maxCharacters / longestGrowth
  const content = mayBeTooLong ? toWire(replaceLoadedNames(text.trim())) : text
  const left = maxCharacters - Array.from(content).length
  const isUnknown = left < warnCharacters && allEmoji.value === undefined && hasNames(text)
  useEffect(() => {
    if (isUnknown) loadEmoji().catch(showError)
  }, [isUnknown])
  return left
}

function editLast(channelId: string): void {
  const own = (messages.value[channelId] ?? []).filter((each) => each.author_id === person.value?.id)
  if (own.length > 0) editing.value = own.at(-1)?.id
}

/** Esc: ends the reply, else removes the picture, else the divider of new messages. */
function dismiss(channelId: string): void {
  if (replyTo.value) replyTo.value = undefined
  else if (attachments.value[channelId]) detach(channelId)
  else newSince.value = undefined
}

/** The message input. Enter sends, Shift+Enter adds a line; `/`, `@`, `#` and `:` open completions; accepts pasted and dropped pictures. */
export function Composer({ label }: { label: string }) {
  const channelId = place.value.channelId ?? ''
  const picture = attachments.value[channelId]
  const { ref, text, cursor, setCursor, change, write } = useTextBox(channelId, () => {
    completion.reset()
    clearRefusal()
  })
  const completion = useCompletion(text, cursor)
  const { sending, submit, warned, refusal, clearRefusal } = useSending({ channelId, text, picture })
  const { offer, selected } = completion
  const line = commandLineAt(text, cursor)
  const barred = useNoPosting()
  const slowSeconds = useSlowmode()
  const left = useCharactersLeft(text)
  const isEmpty = text.trim() === '' && picture === undefined
  const blocked = isEmpty || sending || left < 0 || barred !== undefined || slowSeconds > 0

  const submitIfAllowed = () => {
    if (!blocked) void submit()
  }
  const pick = (index: number) => {
    const chosen = offer?.suggestions[index]
    if (offer && chosen) write(chosen.insert, offer)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || event.altKey) return
    const enters = event.key === 'Enter' && !event.shiftKey
    if (offer) {
      if (event.key === 'ArrowDown') completion.select(1)
      else if (event.key === 'ArrowUp') completion.select(-1)
      else if (enters && selected >= 0) pick(selected)
      else if (enters) submitIfAllowed()
      else if (event.key === 'Tab' && !event.shiftKey) pick(Math.max(selected, 0))
      else if (event.key === 'Escape') completion.close()
      else return
    } else if (enters) submitIfAllowed()
    else if (event.key === 'Escape') dismiss(channelId)
    else if (event.key === 'ArrowUp' && text === '') editLast(channelId)
    else if (event.key === 'Tab' && event.shiftKey) focusLastMessage()
    else return
    event.preventDefault()
  }

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submitIfAllowed()
      }}
    >
      {offer && <Suggestions list={offer.suggestions} active={selected} pick={pick} />}
      {line && <CommandHint line={line} />}
      <ReplyLine />
      <div class={refusal === undefined ? 'composer-box' : 'composer-box is-refused'}>
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
            aria-activedescendant={offer && selected >= 0 ? `completion-${selected}` : undefined}
            aria-describedby="command-hint composer-refusal"
            onInput={(event) => change(event.currentTarget.value, event.currentTarget.selectionStart)}
            onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              if (attach(event.clipboardData?.files)) event.preventDefault()
            }}
          />
          {left < warnCharacters && <span class={left < 0 ? 'left is-over' : 'left'}>{left}</span>}
          <EmojiButton insert={write} />
          <SendButton sending={sending} disabled={blocked} slowSeconds={slowSeconds} />
        </div>
      </div>
      {warned && <UnknownCommandHint command={warned} use={(meant) => write(meant, placeOf(warned.typed, text))} />}
      <p id="composer-refusal" class="composer-refusal" role="alert">
        {refusal}
      </p>
      {slowSeconds > 0 && <p class="composer-slow">Slowmode: you can send the next message in {slowSeconds} s.</p>}
    </form>
  )
}
