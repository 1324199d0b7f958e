import type { Message } from '@botwright/protocol'
import { useEffect, useRef, useState } from 'preact/hooks'
import { edit } from './actions.ts'
import { focusComposer } from './focus.ts'
import { toTyped, toWire } from './names.ts'
import { editing } from './store.ts'

/** The own message, open for changes: Enter saves, Esc leaves it as it was. */
export function EditForm({ message }: { message: Message }) {
  const [text, setText] = useState(() => toTyped(message.content))
  const ref = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    ref.current?.focus()
    ref.current?.setSelectionRange(text.length, text.length)
  }, [])
  const cancel = () => {
    editing.value = undefined
    focusComposer()
  }
  const save = async () => {
    const content = toWire(text.trim())
    if (content === message.content || content === '') cancel()
    else if (await edit(message, content)) focusComposer()
  }
  return (
    <div class="edit-form">
      <textarea
        ref={ref}
        aria-label="Edit message"
        rows={Math.min(8, text.split('\n').length)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') cancel()
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void save()
        }}
      />
      <p class="hint">
        <kbd>Enter</kbd> saves, <kbd>Esc</kbd> cancels
      </p>
    </div>
  )
}
