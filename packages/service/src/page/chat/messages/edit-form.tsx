import type { Message } from '@botwright/protocol'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { edit as saveEdit } from '../../state/actions.ts'
import { focusComposer } from '../composer/focus.ts'
import { sentText } from '../composer/sent-text.ts'
import { PersonLeft } from '../../state/api.ts'
import { toTyped } from '../../state/names.ts'
import { changeEdit, type Edit, editToFocus, endEdit } from '../../state/drafts.ts'
import { isComposing } from '../../components/focus.ts'

/** Editor for the person's own message: Enter saves, Esc cancels. */
export function EditForm({ message, edit }: { message: Message; edit: Edit }) {
  const { text, refusal } = edit
  const ref = useRef<HTMLTextAreaElement>(null)
  // Before the first paint: the keys that someone types at once belong to the editor.
  const isBegun = editToFocus.value === message.id
  useLayoutEffect(() => {
    if (!isBegun) return
    editToFocus.value = undefined
    ref.current?.focus()
    ref.current?.setSelectionRange(text.length, text.length)
  }, [isBegun])
  useLayoutEffect(() => {
    if (!ref.current) return
    ref.current.style.height = 'auto'
    ref.current.style.height = `${ref.current.scrollHeight + 2}px`
  }, [text])
  const cancel = () => {
    endEdit(message)
    focusComposer()
  }
  const save = async () => {
    if (text === toTyped(message.content)) return cancel()
    changeEdit(message, { isSaving: true, refusal: undefined })
    focusComposer()
    try {
      const content = await sentText(text)
      if (content !== message.content) await saveEdit(message, content)
      endEdit(message)
    } catch (error) {
      if (error instanceof PersonLeft) return
      changeEdit(message, { isSaving: false, refusal: error instanceof Error ? error.message : String(error) })
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
        onInput={(event) => changeEdit(message, { text: event.currentTarget.value })}
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
