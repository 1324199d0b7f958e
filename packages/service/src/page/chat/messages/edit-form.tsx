import type { Message } from '@botwright/protocol'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { edit } from '../../state/actions.ts'
import { focusComposer } from '../composer/focus.ts'
import { sentText } from '../composer/sent-text.ts'
import { toTyped } from '../../state/names.ts'
import { editing } from '../../state/store.ts'
import { isComposing } from '../../components/focus.ts'

/** Editor for the person's own message: Enter saves, Esc cancels. */
export function EditForm({ message }: { message: Message }) {
  const [typed] = useState(() => toTyped(message.content))
  const [text, setText] = useState(typed)
  const [refusal, setRefusal] = useState<string>()
  const ref = useRef<HTMLTextAreaElement>(null)
  // Before the first paint: the keys that someone types at once belong to the editor.
  useLayoutEffect(() => {
    ref.current?.focus()
    ref.current?.setSelectionRange(text.length, text.length)
  }, [])
  useLayoutEffect(() => {
    if (!ref.current) return
    ref.current.style.height = 'auto'
    ref.current.style.height = `${ref.current.scrollHeight + 2}px`
  }, [text])
  const cancel = () => {
    editing.value = undefined
    focusComposer()
  }
  const save = async () => {
    if (text === typed) return cancel()
    try {
      const content = await sentText(text)
      if (content !== message.content) await edit(message, content)
      // The person may be editing another message by now.
      if (editing.value === message.id) cancel()
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <div class="edit-form">
      <textarea
        ref={ref}
        aria-label="Edit message"
        dir="auto"
        rows={1}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (isComposing(event)) return
          if (event.key === 'Escape') cancel()
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          void save()
        }}
      />
      <p class="hint">
        <kbd>Esc</kbd>{' '}
        <button type="button" class="link-button" onClick={cancel}>
          to cancel
        </button>
        , <kbd>Enter</kbd>{' '}
        <button type="button" class="link-button" onClick={() => void save()}>
          to save
        </button>
      </p>
      <p class="form-error" role="alert">
        {refusal}
      </p>
    </div>
  )
}
