import { limits } from '@botwright/protocol/limits'
import { useEffect, useRef, useState } from 'preact/hooks'
import { allEmoji, hasNames, loadEmoji, replaceLoadedNames } from '../../components/emoji.ts'
import { EmojiPicker } from '../../components/emoji-picker.tsx'
import { Icon } from '../../components/icons.tsx'
import { pictureTypes } from '../../components/picture.tsx'
import { toTyped, toWire } from '../../state/names.ts'
import { beginEdit, draft, draftOf, endReply } from '../../state/drafts.ts'
import { messages, newSince, person, place } from '../../state/store.ts'
import { showError } from '../../state/toasts.ts'
import { focusLastMessage } from '../messages/message-keys.ts'
import { attach, AttachmentPreview, detach, isPicture } from './attachment.tsx'
import { CommandHint } from './command-hint.tsx'
import { commandLineAt } from './completion.ts'
import { DraftLines } from './draft-lines.tsx'
import { composerId, focusComposer } from './focus.ts'
import { useNoPosting, useSlowmode } from './posting.ts'
import { submit } from './sending.ts'
import { Suggestions } from './suggestions.tsx'
import { WarningHint } from './unknown-command.tsx'
import { useCompletion } from './use-completion.ts'
import { useWarning } from './use-warning.ts'
import { useTextBox } from './use-text-box.ts'
import { isComposing } from '../../components/focus.ts'

const maxCharacters = limits.message_content.characters
const warnCharacters = 200

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
  <button type="submit" class="send" aria-label="Send message" aria-busy={sending} disabled={disabled}>
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
  const own = (messages.value[channelId] ?? []).findLast((each) => each.author_id === person.value?.id)
  if (own) beginEdit(own, toTyped(own.content))
}

/** Esc: ends the reply, else removes the picture, else the divider of new messages. */
function dismiss(channelId: string): void {
  const { replyTo, picture } = draftOf(channelId)
  if (replyTo) endReply(channelId)
  else if (picture) detach(channelId)
  else newSince.value = undefined
}

interface KeyTarget {
  channelId: string
  text: string
  completion: ReturnType<typeof useCompletion>
  /** Inserts a completion. */
  pick: (index: number) => void
  submit: () => void
}

/** A key in the message input. While completions are open, they come first. */
function onKey(event: KeyboardEvent, { channelId, text, completion, pick, submit }: KeyTarget): void {
  if (isComposing(event) || event.altKey) return
  const { offer, selected } = completion
  const enters = event.key === 'Enter' && !event.shiftKey
  if (offer) {
    if (event.key === 'ArrowDown') completion.select(1)
    else if (event.key === 'ArrowUp') completion.select(-1)
    else if (enters && selected >= 0) pick(selected)
    else if (enters) submit()
    else if (event.key === 'Tab' && !event.shiftKey) pick(Math.max(selected, 0))
    else if (event.key === 'Escape') completion.close()
    else return
  } else if (enters) submit()
  else if (event.key === 'Escape') dismiss(channelId)
  else if (event.key === 'ArrowUp' && text === '') editLast(channelId)
  else if (event.key === 'Tab' && event.shiftKey) focusLastMessage()
  else return
  event.preventDefault()
}

/** The message input. Enter sends, Shift+Enter adds a line; `/`, `@`, `#` and `:` open completions; accepts pasted and dropped pictures. */
export function Composer({ label }: { label: string }) {
  const channelId = place.value.channelId ?? ''
  const { picture, sending, refusal } = draft.value
  const { ref, text, cursor, setCursor, change, write } = useTextBox(channelId, () => completion.reset())
  const completion = useCompletion(text, cursor)
  const { warning, mayBeSent } = useWarning(channelId, text)
  const { offer, selected } = completion
  const line = commandLineAt(text, cursor)
  const barred = useNoPosting()
  const slowSeconds = useSlowmode()
  const left = useCharactersLeft(text)
  const isBlank = text.trim() === '' && picture === undefined
  const blocked = isBlank || left < 0 || barred !== undefined || slowSeconds > 0
  const hasHint = line !== undefined && line.command.args.length > 0

  const submitIfAllowed = () => {
    if (blocked || (!picture && !mayBeSent())) return
    void submit(channelId)
  }
  const pick = (index: number) => {
    const chosen = offer?.suggestions[index]
    if (offer && chosen) write(chosen.insert, offer)
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submitIfAllowed()
      }}
    >
      {!warning && (offer ?? hasHint) && (
        <div class="completion">
          {hasHint && <CommandHint line={line} />}
          {offer && <Suggestions list={offer.suggestions} active={selected} pick={pick} />}
        </div>
      )}
      <DraftLines channelId={channelId} />
      <div class={refusal === undefined ? 'composer-box' : 'composer-box is-refused'}>
        {picture && <AttachmentPreview file={picture} channelId={channelId} />}
        <div class="composer-line">
          <AttachButton />
          <textarea
            // Each channel has its own steps to undo.
            key={channelId}
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
            onKeyDown={(event) => onKey(event, { channelId, text, completion, pick, submit: submitIfAllowed })}
            onPaste={(event) => {
              const data = event.clipboardData
              if (data && isPicture(data) && attach(data.files)) event.preventDefault()
            }}
          />
          {left < warnCharacters && <span class={left < 0 ? 'left is-over' : 'left'}>{left}</span>}
          <EmojiButton insert={write} />
          <SendButton sending={sending.length > 0} disabled={blocked} slowSeconds={slowSeconds} />
        </div>
      </div>
      {warning && <WarningHint warning={warning} use={(typed, meant) => write(meant, placeOf(typed, text))} />}
      <p id="composer-refusal" class="composer-refusal" role="alert">
        {refusal}
      </p>
      {slowSeconds > 0 && <p class="composer-slow">Slowmode: you can send the next message in {slowSeconds} s.</p>}
    </form>
  )
}
