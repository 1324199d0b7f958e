import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { takeFocus } from '../../components/focus.ts'
import { changeDraft, draftOf } from '../../state/drafts.ts'

const tallestPx = 260
/** Other browsers compute the layout of the whole page for the height of the input, on every key. */
const growsByItself = CSS.supports('field-sizing', 'content')

/** The input for the draft of a channel: as high as its text, and focused when the channel is opened. */
export function useTextBox(channelId: string, onChange: () => void) {
  const { text } = draftOf(channelId)
  const ref = useRef<HTMLTextAreaElement>(null)
  const [cursor, setCursor] = useState(0)
  useLayoutEffect(() => {
    const box = ref.current
    if (!box || growsByItself) return
    box.style.height = 'auto'
    box.style.height = `${Math.min(box.scrollHeight, tallestPx)}px`
  }, [text, channelId])
  useLayoutEffect(() => {
    if (matchMedia('(hover: hover)').matches) takeFocus(ref.current)
  }, [channelId])

  const change = (value: string, position: number) => {
    changeDraft(channelId, { text: value, refusal: undefined })
    setCursor(position)
    onChange()
  }
  /** Replaces a part of the text; without a range, what is selected. */
  const write = (insert: string, range?: { start: number; end: number }) => {
    const box = ref.current
    if (!box) return
    box.focus()
    const start = range?.start ?? box.selectionStart
    box.setSelectionRange(start, range?.end ?? box.selectionEnd)
    // As if it was typed: undo takes it back, and keys typed next land after it.
    if (!document.execCommand('insertText', false, insert)) box.setRangeText(insert, start, box.selectionEnd, 'end')
    change(box.value, start + insert.length)
  }
  return { ref, text, cursor: Math.min(cursor, text.length), setCursor, change, write }
}
